# The interface of C: a part of the library, and a shared library that shows nothing else, for programs in C and for
# whatever loads one (ctypes, databases). If the library itself is shared, it is the one to link.
file(GLOB c_api_sources CONFIGURE_DEPENDS src/c_api/*.cc)
add_library(bochner_c_objects OBJECT ${c_api_sources})
target_include_directories(bochner_c_objects PRIVATE include src)
target_compile_definitions(bochner_c_objects PRIVATE BOCHNER_VERSION="${PROJECT_VERSION}")
target_link_libraries(bochner_c_objects PRIVATE bochner_flags fmt::fmt)
set_target_properties(bochner_c_objects PROPERTIES UNITY_BUILD ${BOCHNER_UNITY} UNITY_BUILD_BATCH_SIZE 0)
target_sources(bochner PRIVATE $<TARGET_OBJECTS:bochner_c_objects>)

if(BUILD_SHARED_LIBS)
  add_library(bochner_c INTERFACE)
  target_link_libraries(bochner_c INTERFACE bochner)
else()
  add_library(bochner_c SHARED $<TARGET_OBJECTS:bochner_c_objects>)
  set(c_symbols ${PROJECT_SOURCE_DIR}/cmake/c_api.map)
  target_link_libraries(bochner_c PRIVATE bochner)
  target_link_options(bochner_c PRIVATE -Wl,--version-script=${c_symbols} -Wl,--exclude-libs,ALL)
  # The first number is BOCHNER_C_VERSION's: it changes where a program would have to be compiled again.
  set_target_properties(bochner_c PROPERTIES LINKER_LANGUAGE CXX LINK_DEPENDS ${c_symbols} SOVERSION 1
                                             VERSION 1.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_include_directories(bochner_c INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
endif()
set_target_properties(bochner_c PROPERTIES EXPORT_NAME c)
add_library(bochner::c ALIAS bochner_c)
