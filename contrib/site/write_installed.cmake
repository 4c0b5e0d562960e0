# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs at the end of `cmake --install`: adds what was installed to the list in `installed` (below DESTDIR), which
# jobtrail-uninstall reads: relative to the prefix, which may be copied or moved, or absolute if outside of it.
# What an older version has left there, and this one did not install, stays in the list.
set(list "$ENV{DESTDIR}${installed}")
set(lines "")
if(EXISTS "${list}")
    file(STRINGS "${list}" lines)
endif()
list(APPEND lines ${CMAKE_INSTALL_MANIFEST_FILES} "${installed}")
set(paths "")
foreach(line IN LISTS lines)
    cmake_path(IS_PREFIX CMAKE_INSTALL_PREFIX "${line}" NORMALIZE is_inside)
    if(is_inside)
        cmake_path(RELATIVE_PATH line BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}")
    endif()
    list(APPEND paths "${line}")
endforeach()
list(REMOVE_DUPLICATES paths)
list(SORT paths)
list(JOIN paths "\n" text)
file(WRITE "${list}" "${text}\n")
