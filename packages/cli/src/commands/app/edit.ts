import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRecord } from "@capstan/formats";
import { dumpYaml } from "@capstan/formats/yaml";
import { type Application, parseYaml } from "@capstan/model";
import { defineCommand, ExitError } from "../../command.ts";
import { fetchApp, readAppName } from "./app-name.ts";

export default defineCommand({
  usage: "APPNAME",
  help: "Edit an application's specification in $EDITOR.",
  argument: "application",
  arity: [1, 1],
  flags: {
    "app-namespace": { kind: "string", short: "N", help: "Namespace of the application", value: "NAMESPACE" },
  },
  async run({ args: [name = ""], flags, io, api }) {
    const client = await api();
    const ref = readAppName(name, flags["app-namespace"]);
    const app = await fetchApp(client, ref);
    const before = dumpYaml(app.spec);
    const after = await editText(before, io.env.KUBE_EDITOR || io.env.EDITOR || "vi");
    if (after === before) {
      io.out("nothing was changed\n");
      return 0;
    }
    const spec = parseYaml(after, { file: "the edited text" });
    if (!isSpec(spec)) throw new ExitError("the edited text is not a specification with a destination", 20);
    await client.call("updateApplicationSpec", { ...ref, spec });
    io.out(`application '${ref.name}' changed\n`);
    return 0;
  },
});

/** The server checks the rest, and says which field is wrong. */
function isSpec(value: unknown): value is Application["spec"] {
  return isRecord(value) && isRecord(value.destination);
}

async function editText(text: string, editor: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-edit-"));
  const file = join(folder, "spec.yaml");
  try {
    await writeFile(file, text, { mode: 0o600 });
    const [program = "vi", ...args] = editor.split(/\s+/);
    const child = spawn(program, [...args, file], { stdio: "inherit" });
    const { promise, resolve, reject } = Promise.withResolvers<number | null>();
    child.once("error", reject).once("exit", resolve);
    const code = await promise;
    if (code !== 0) throw new ExitError(`${editor} ended with code ${code}; nothing was changed`, 20);
    return await readFile(file, "utf8");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
