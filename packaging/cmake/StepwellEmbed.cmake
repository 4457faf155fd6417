# stepwell_embed(TARGET NAME FILE): makes <generated>/embedded/NAME.h, which declares
#   namespace sw::embedded { inline constexpr std::string_view kNAME = ...; }
# with the text of FILE, and puts it among TARGET's sources.
function(stepwell_embed target name file)
  set(header "${CMAKE_BINARY_DIR}/generated/embedded/${name}.h")
  get_filename_component(path "${file}" ABSOLUTE BASE_DIR "${CMAKE_SOURCE_DIR}")
  add_custom_command(OUTPUT "${header}"
    COMMAND "${CMAKE_COMMAND}" -DNAME=${name} "-DINPUT=${path}" "-DOUTPUT=${header}"
            -P "${CMAKE_SOURCE_DIR}/packaging/cmake/EmbedText.cmake"
    DEPENDS "${path}" "${CMAKE_SOURCE_DIR}/packaging/cmake/EmbedText.cmake"
    VERBATIM)
  target_sources(${target} PRIVATE "${header}")
endfunction()
