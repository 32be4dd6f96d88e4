# libbochner_cuda.so, which --device cuda opens: by NVIDIA's compiler if it is at hand, and without any of its libraries.
find_program(BOCHNER_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin /usr/local/cuda/bin DOC "NVIDIA's compiler; empty: no GPU")
option(BOCHNER_CUDA "Build libbochner_cuda.so if nvcc is at hand" ON)
if(NOT BOCHNER_CUDA OR NOT BOCHNER_NVCC OR BOCHNER_SANITIZE OR CMAKE_CROSSCOMPILING)
  message(STATUS "libbochner_cuda.so is not built: no nvcc, or a build that is not for it; --device cuda will say so")
  return()
endif()

# Machine code of the chips that differ, and code of the newest for the driver to compile.
include(GNUInstallDirs)
set(cuda_code)
foreach(chip 80 86 89 90a 100 120)
  list(APPEND cuda_code -gencode arch=compute_${chip},code=sm_${chip})
endforeach()
file(GLOB cuda_sources CONFIGURE_DEPENDS src/backend/cuda/*.cuh src/backend/cuda/*.h)
add_custom_command(OUTPUT libbochner_cuda.so
  # The same bytes each time in one folder: names that nvcc draws have a seed, those of its temporary files are left out.
  COMMAND ${BOCHNER_NVCC} -std=c++20 -O3 -fmad=false -frandom-seed bochner -shared -Xlinker -s -cudart static -Xcompiler -fPIC,-fvisibility=hidden
          -ccbin ${CMAKE_CXX_COMPILER} -I ${PROJECT_SOURCE_DIR}/src ${cuda_code}
          -gencode arch=compute_120,code=compute_120 ${PROJECT_SOURCE_DIR}/src/backend/cuda/plugin.cu
          -o libbochner_cuda.so
  DEPENDS src/backend/cuda/plugin.cu src/backend/turns.h ${cuda_sources})
add_custom_target(bochner_cuda ALL DEPENDS libbochner_cuda.so)
install(FILES ${PROJECT_BINARY_DIR}/libbochner_cuda.so DESTINATION ${CMAKE_INSTALL_LIBDIR})
