# Our own threads call BLAS, each on its own: the threads that OpenBLAS starts at load on every core would never work, and
# it aborts if it may not start them (ulimit -v). So its serial build is taken if the system has one beside the threaded.
set(ENV{PKG_CONFIG_PATH} "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial/pkgconfig:$ENV{PKG_CONFIG_PATH}")
if(CMAKE_SYSROOT)
  set(ENV{PKG_CONFIG_PATH} "${CMAKE_SYSROOT}$ENV{PKG_CONFIG_PATH}")
endif()
