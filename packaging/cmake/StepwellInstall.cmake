# cmake --install BUILD puts stepwell, stepwellc and stepwell-host with their resources under a prefix; cpack makes packages of
# the same. What a debugger needs is most of the size of an executable, so it is a component of its own, which few people want:
# --component program is Stepwell, --component debug the rest.
include(GNUInstallDirs)

set(STEPWELL_PROGRAMS stepwell stepwellc stepwell-host)

install(TARGETS ${STEPWELL_PROGRAMS} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)
install(DIRECTORY
    "${CMAKE_SOURCE_DIR}/resources/docs"
    "${CMAKE_SOURCE_DIR}/resources/examples"
    "${CMAKE_SOURCE_DIR}/resources/kernels"
    "${CMAKE_SOURCE_DIR}/resources/library"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/stepwell" COMPONENT program)
install(FILES "${CMAKE_SOURCE_DIR}/packaging/linux/stepwell.desktop"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/applications" COMPONENT program)
install(FILES "${CMAKE_SOURCE_DIR}/packaging/linux/stepwell.metainfo.xml"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/metainfo" COMPONENT program)
install(FILES "${CMAKE_SOURCE_DIR}/resources/icons/stepwell.svg"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps" COMPONENT program)
install(FILES "${CMAKE_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT program)

# The installed file names the one with the debug information by its name and checksum; debuggers look for it under lib/debug.
set(splitFiles "")
foreach(program IN LISTS STEPWELL_PROGRAMS)
  string(APPEND splitFiles "\"$<TARGET_FILE:${program}>\" ")
endforeach()
install(CODE "
  foreach(built ${splitFiles})
    get_filename_component(name \"\${built}\" NAME)
    if(NOT EXISTS \"\${built}.debug\" OR \"\${built}\" IS_NEWER_THAN \"\${built}.debug\")
      execute_process(COMMAND \"${CMAKE_OBJCOPY}\" --only-keep-debug \"\${built}\" \"\${built}.debug\" COMMAND_ERROR_IS_FATAL ANY)
    endif()
    execute_process(COMMAND \"${CMAKE_OBJCOPY}\" --strip-unneeded \"--add-gnu-debuglink=\${built}.debug\"
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/\${name}\" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
" COMPONENT program)
install(CODE "
  foreach(built ${splitFiles})
    if(NOT EXISTS \"\${built}.debug\" OR \"\${built}\" IS_NEWER_THAN \"\${built}.debug\")
      execute_process(COMMAND \"${CMAKE_OBJCOPY}\" --only-keep-debug \"\${built}\" \"\${built}.debug\" COMMAND_ERROR_IS_FATAL ANY)
    endif()
    file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/lib/debug\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\"
      TYPE FILE FILES \"\${built}.debug\")
  endforeach()
" COMPONENT debug EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME stepwell)
set(CPACK_PACKAGE_VENDOR "The Stepwell authors")
set(CPACK_PACKAGE_CONTACT "The Stepwell authors <stepwell@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES OFF) # done above, with a link to what was taken away
set(CPACK_COMPONENTS_ALL program debug)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME stepwell)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "libqt6svg6, fonts-dejavu-core")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "clang-22, pocl-opencl-icd")
set(CPACK_DEBIAN_DEBUG_PACKAGE_NAME stepwell-dbgsym)
set(CPACK_DEBIAN_DEBUG_PACKAGE_SECTION debug)
set(CPACK_DEBIAN_DEBUG_PACKAGE_DEPENDS "stepwell (= ${PROJECT_VERSION})")
include(CPack)
