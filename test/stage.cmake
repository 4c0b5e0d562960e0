# SPDX-License-Identifier: LGPL-2.1-or-later
# cmake -D BUILD=... -D STAGE=... -P stage.cmake: install the build into an empty STAGE
file(REMOVE_RECURSE ${STAGE})
file(MAKE_DIRECTORY ${STAGE})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${STAGE} COMMAND_ERROR_IS_FATAL ANY)
# As a site's packages do. Copies have other times, and belong to users who cannot write there.
execute_process(COMMAND python3 -m compileall -q --invalidation-mode unchecked-hash ${STAGE}/libexec ${STAGE}/bin
    COMMAND_ERROR_IS_FATAL ANY)
