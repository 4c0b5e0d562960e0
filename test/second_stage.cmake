# SPDX-License-Identifier: LGPL-2.1-or-later
#
# cmake -D SOURCE=... -D FIRST=... -D BUILD=... -D STAGE=... -P second_stage.cmake: builds what a node needs with
# other formats (spank/job_formats.h) than the build FIRST, and installs it into an empty STAGE
set(options CMAKE_C_COMPILER CMAKE_C_COMPILER_LAUNCHER SLURM_INCLUDE_DIR)
load_cache(${FIRST} READ_WITH_PREFIX first_ ${options})
set(arguments)
foreach(option ${options})
    if(first_${option})
        list(APPEND arguments -D ${option}=${first_${option}})
    endif()
endforeach()
execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B ${BUILD} -D JOBTRAIL_JOB_FORMATS=2
        -D JOBTRAIL_TESTS=OFF -D CMAKE_BUILD_TYPE=Debug -D CMAKE_C_FLAGS_DEBUG= -D CMAKE_INSTALL_LIBDIR=lib ${arguments}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD} -j 2
        --target spank_jobtrail jobtrail jobtrail-submit jobtrail-conf
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE ${STAGE})
file(INSTALL ${BUILD}/spank/spank_jobtrail.so DESTINATION ${STAGE}/lib/slurm)
file(INSTALL ${BUILD}/preload/libjobtrail.so DESTINATION ${STAGE}/lib)
file(INSTALL ${BUILD}/submit/command/jobtrail-submit ${BUILD}/conf/command/jobtrail-conf
    DESTINATION ${STAGE}/bin USE_SOURCE_PERMISSIONS)
