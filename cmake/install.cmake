# make install, and find_package(bochner) from where it was installed.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/bochner)
set_target_properties(bochner PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
install(TARGETS bochner bochner_c EXPORT bochnerTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/bochner DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES include/bochner_c.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE README.md ARCHITECTURE.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET bochner_cli)
  file(RELATIVE_PATH library_from_program /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  set_target_properties(bochner_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${library_from_program}")
  install(TARGETS bochner_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# Manual pages and completions, which the command writes. One that is for another machine cannot be asked.
if(TARGET bochner_cli AND NOT CMAKE_CROSSCOMPILING AND NOT BOCHNER_SANITIZE)
  set(manual ${PROJECT_BINARY_DIR}/manual)
  add_custom_command(OUTPUT ${manual}/written
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${manual}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${manual}/man1
    COMMAND $<TARGET_FILE:bochner_cli> manual ${manual}/man1
    COMMAND $<TARGET_FILE:bochner_cli> completion bash > ${manual}/bochner
    COMMAND $<TARGET_FILE:bochner_cli> completion zsh > ${manual}/_bochner
    COMMAND $<TARGET_FILE:bochner_cli> completion fish > ${manual}/bochner.fish
    COMMAND ${CMAKE_COMMAND} -E touch ${manual}/written
    DEPENDS bochner_cli VERBATIM)
  add_custom_target(bochner_manual ALL DEPENDS ${manual}/written)
  install(DIRECTORY ${manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(FILES ${manual}/bochner DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${manual}/_bochner DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${manual}/bochner.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

configure_package_config_file(cmake/bochnerConfig.cmake.in ${PROJECT_BINARY_DIR}/bochnerConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/bochnerConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/bochnerConfig.cmake ${PROJECT_BINARY_DIR}/bochnerConfigVersion.cmake
        DESTINATION ${package_folder})
install(EXPORT bochnerTargets NAMESPACE bochner:: DESTINATION ${package_folder})

# pkg-config: a static library brings what it needs to the link, a shared one carries it.
file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
function(bochner_pkgconfig name description libs requires)
  set(pc_name ${name})
  set(pc_description ${description})
  set(pc_libs ${libs})
  set(pc_requires ${requires})
  configure_file(cmake/bochner.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
if(BUILD_SHARED_LIBS)
  bochner_pkgconfig(bochner "Kernel machines in linear time, for C++20" "-lbochner" "")
  bochner_pkgconfig(bochner_c "Kernel machines in linear time, for C" "-lbochner" "")
else()
  bochner_pkgconfig(bochner "Kernel machines in linear time, for C++20" "-lbochner -pthread"
                    "Requires: fmt zlib liblzma libzstd libhwy openblas")
  bochner_pkgconfig(bochner_c "Kernel machines in linear time, for C" "-lbochner_c" "")
endif()
