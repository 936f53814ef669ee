import { isRecord } from "@capstan/formats";
import { dumpYaml } from "@capstan/formats/yaml";
import { type AppProject, parseYaml } from "@capstan/model";
import { defineCommand, ExitError } from "../../command.ts";
import { editText } from "../../edit-text.ts";

export default defineCommand({
  usage: "PROJECT",
  help: "Edit a project's specification in $EDITOR.",
  argument: "project",
  arity: [1, 1],
  flags: {},
  async run({ args: [name = ""], io, api }) {
    const client = await api();
    const { spec } = await client.call("getProject", { name });
    const isChanged = await editText(io, {
      name,
      text: dumpYaml(spec),
      async apply(text) {
        const edited = parseYaml(text, { file: "the edited text" });
        if (!isSpec(edited)) throw new ExitError("the edited text is not a specification", 20);
        const project = await client.call("getProject", { name });
        await client.call("updateProject", { name, project: { ...project, spec: edited } });
      },
    });
    io.out(isChanged ? `project '${name}' changed\n` : "nothing was changed\n");
    return 0;
  },
});

/** The server checks the rest, and says which field is wrong. */
function isSpec(value: unknown): value is AppProject["spec"] {
  return isRecord(value);
}
