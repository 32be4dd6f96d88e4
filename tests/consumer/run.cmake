# cmake -DBUILD= -DCONSUMER= -DDATA= -DCOMPILER= -P run.cmake: installs BUILD, then builds and runs CONSUMER against it.
set(work ${BUILD}/consumer)
file(REMOVE_RECURSE ${work})
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${work}/build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_PREFIX_PATH=${work}/prefix)
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/consumer ${DATA}/cpu-small.csv)
if(EXISTS ${work}/prefix/bin/bochner)
  run(${work}/prefix/bin/bochner --version)
endif()
