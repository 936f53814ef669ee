import { CapstanError, isCapstanError } from "@capstan/model";
import { joinWithin } from "@capstan/plugin-kit";

/** How helmfile tells of a program that failed: its arguments, and then what it said, twice. */
const failedCommand =
  /command "(?:\S*\/)?([^"/]+)" exited with non-zero status:\n[\s\S]*?\n\nSTDERR:\n((?: {2}.*\n?)*)(?:\nCOMBINED OUTPUT:\n(?: {2}.*\n?)*)?/g;
const url = /\b(?:https?|oci):\/\/(?:[^\s"'/@]*@)?([^\s"'/{}]+)/g;

/** The same failure by the file that helmfile names and what was said last; a time that was over by who was asked. */
export function describeHelmfileError(error: unknown, of: { path: string; helmfile: string }): unknown {
  if (!isCapstanError(error)) return error;
  const { failure } = error;
  if (failure.code === "TIMED_OUT") {
    const asked = new Set([...of.helmfile.matchAll(url)].map(([, host]) => host));
    const what = asked.size === 0 ? "helmfile" : `helmfile, which asks ${[...asked].join(", ")},`;
    return new CapstanError({ ...failure, what }, error);
  }
  if (failure.code !== "TOOL_FAILED") return error;
  const [, written = "", said = ""] = /^in (\S+): ([\s\S]*)$/m.exec(failure.stderr) ?? [];
  const file = joinWithin(of.path, written);
  if (written === "" || file === undefined) return error;
  const problem = said
    .replace(
      failedCommand,
      (_whole, program, stderr) => `${nameOf(String(program))}: ${unindent(String(stderr))}`,
    )
    .trim();
  return new CapstanError({ code: "PLUGIN_FAILED", plugin: "lovely", file, problem }, error);
}

/** Of helm with Capstan's logins, that of the program. */
function nameOf(program: string): string {
  return program.startsWith("helm-for-helmfile-") ? "helm" : program;
}

function unindent(text: string): string {
  return text.replace(/^ {2}/gm, "").trim();
}
