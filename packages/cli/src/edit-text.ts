import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ExitError } from "./command.ts";
import type { Io } from "./io.ts";

interface Edit {
  /** YAML. */
  readonly text: string;
  /** Of the file, for who looks at the editor's title. */
  readonly name: string;
  /** Sends what was written; what it refuses is shown to the person, who may go on. */
  apply(text: string): Promise<void>;
}

/**
 * Lets a person edit a text in KUBE_EDITOR or EDITOR until it is taken or left as it was (util/cli InteractiveEdit).
 * False: nothing was changed.
 */
export async function editText(io: Io, { text, name, apply }: Edit): Promise<boolean> {
  const editor = io.env.KUBE_EDITOR || io.env.EDITOR || "vi";
  const folder = await mkdtemp(join(tmpdir(), "capstan-edit-"));
  const file = join(folder, `${name.replace(/[^\w.-]/g, "_")}-edit.yaml`);
  try {
    let given = text;
    for (;;) {
      await writeFile(file, given, { mode: 0o600 });
      await runEditor(editor, file);
      const written = await readFile(file, "utf8");
      const after = written.replace(/^(#.*\n)*/, "");
      if (after.trim() === "" || after === text || written === given) return false;
      try {
        await apply(after);
        return true;
      } catch (error) {
        io.signal.throwIfAborted();
        if (!io.errIsTerminal || !(error instanceof Error)) throw error;
        given = `${error.message.replace(/^/gm, "# ")}\n${after}`;
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runEditor(editor: string, file: string): Promise<void> {
  const [program = "vi", ...args] = editor.split(/\s+/);
  const child = spawn(program, [...args, file], { stdio: "inherit" });
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once("error", reject).once("exit", resolve);
  const code = await promise;
  if (code !== 0) throw new ExitError(`${editor} ended with code ${code}; nothing was changed`, 20);
}
