import { isRecord } from "@capstan/formats";
import { CapstanError, parseYaml } from "@capstan/model";

const pinned =
  /^[A-Za-z0-9][\w.-]*(\[[\w.,\s-]+\])?\s*===?\s*[\w.!+-]+\s*(;[^#]*?)?(\s+--hash=\w+:[0-9a-f]+)*$/;

/**
 * Lines for pip of a file with packages by their versions. Nothing else is let through: paths, repositories and
 * options of pip would reach what is not the application's.
 */
export function readRequirements(text: string, file: string): string[] {
  if (file.endsWith(".lock")) return readPipenvLock(text, file);
  const lines: string[] = [];
  let begun: { line: number; text: string } | undefined;
  for (const [index, row] of text.split(/\r?\n/).entries()) {
    begun ??= { line: index + 1, text: "" };
    const isContinued = row.endsWith("\\");
    begun.text += isContinued ? `${row.slice(0, -1)} ` : row;
    if (isContinued) continue;
    const requirement = begun.text.replace(/(^|\s)#.*$/, "").trim();
    if (requirement !== "") lines.push(checked(requirement, file, begun.line));
    begun = undefined;
  }
  return lines;
}

function checked(requirement: string, file: string, line: number): string {
  if (pinned.test(requirement)) return requirement;
  const problem = `"${requirement}" is no package with its version, such as cdk8s==2.70.106. pip freeze prints them so; indexes are the operator's to name`;
  throw new CapstanError({ code: "PLUGIN_FAILED", plugin: "cdk8s", file, line, problem });
}

function readPipenvLock(text: string, file: string): string[] {
  const content = parseYaml(text, { file });
  const packages = isRecord(content) && isRecord(content.default) ? content.default : {};
  return Object.entries(packages).map(([name, one]) => {
    const { version, extras, markers, hashes } = isRecord(one) ? one : {};
    const list = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);
    const chosen = list(extras).length === 0 ? "" : `[${list(extras).join(",")}]`;
    const when = typeof markers === "string" ? ` ; ${markers}` : "";
    const requirement = `${name}${chosen}${version ?? ""}${when}${list(hashes)
      .map((hash) => ` --hash=${hash}`)
      .join("")}`;
    if (pinned.test(requirement)) return requirement;
    const problem = `package ${name} has no version of an index. Packages from git or a folder are not installed`;
    throw new CapstanError({ code: "PLUGIN_FAILED", plugin: "cdk8s", file, problem });
  });
}
