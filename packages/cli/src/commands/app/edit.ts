import { isRecord } from "@capstan/formats";
import { dumpYaml } from "@capstan/formats/yaml";
import { type Application, parseYaml } from "@capstan/model";
import { defineCommand, ExitError } from "../../command.ts";
import { editText } from "../../edit-text.ts";
import { appNamespaceFlag, fetchApp, readAppName } from "./app-name.ts";

export default defineCommand({
  usage: "APPNAME",
  help: "Edit an application's specification in $EDITOR.",
  argument: "application",
  arity: [1, 1],
  flags: appNamespaceFlag,
  async run({ args: [name = ""], flags, io, api }) {
    const client = await api();
    const ref = readAppName(name, flags["app-namespace"]);
    const app = await fetchApp(client, ref);
    const isChanged = await editText(io, {
      name: ref.name,
      text: dumpYaml(app.spec),
      async apply(text) {
        const spec = parseYaml(text, { file: "the edited text" });
        if (!isSpec(spec))
          throw new ExitError("the edited text is not a specification with a destination", 20);
        await client.call("updateApplicationSpec", { ...ref, spec });
      },
    });
    io.out(isChanged ? `application '${ref.name}' changed\n` : "nothing was changed\n");
    return 0;
  },
});

/** The server checks the rest, and says which field is wrong. */
function isSpec(value: unknown): value is Application["spec"] {
  return isRecord(value) && isRecord(value.destination);
}
