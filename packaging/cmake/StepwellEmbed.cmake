# stepwell_embed(TARGET NAME FILE): makes <generated>/embedded/NAME.h, which declares
#   namespace sw::embedded { inline constexpr std::string_view kNAME = ...; }
# with the text of FILE, and has it made before TARGET is compiled.
function(stepwell_embed target name file)
  set(header "${CMAKE_BINARY_DIR}/generated/embedded/${name}.h")
  get_filename_component(path "${file}" ABSOLUTE BASE_DIR "${CMAKE_SOURCE_DIR}")
  add_custom_command(OUTPUT "${header}"
    COMMAND "${CMAKE_COMMAND}" -DNAME=${name} "-DINPUT=${path}" "-DOUTPUT=${header}"
            -P "${CMAKE_SOURCE_DIR}/packaging/cmake/EmbedText.cmake"
    DEPENDS "${path}" "${CMAKE_SOURCE_DIR}/packaging/cmake/EmbedText.cmake"
    VERBATIM)
  # A target of its own: a custom command serves only the targets of the folder that states it.
  add_custom_target(embed_${name} DEPENDS "${header}")
  add_dependencies(${target} embed_${name})
endfunction()
