import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onlyChecks } from "@capstan/testkit/program-flags";

/**
 * Writes generated parts of a page of docs/, each between `<!-- name -->` and `<!-- end of name -->`. With --check only
 * says whether they agree, by the exit code.
 */
export async function keepSections(
  page: string,
  sections: Readonly<Record<string, string>>,
  summary: string,
): Promise<void> {
  const file = join(import.meta.dirname, "..", "docs", page);
  const present = await readFile(file, "utf8");
  let wanted = present;
  for (const [name, text] of Object.entries(sections)) {
    const begin = `<!-- ${name} -->\n`;
    const from = wanted.indexOf(begin) + begin.length;
    const to = wanted.indexOf(`<!-- end of ${name} -->`, from);
    if (from < begin.length || to < 0)
      throw new Error(`docs/${page} has no ${begin.trim()} … end of ${name}`);
    wanted = `${wanted.slice(0, from)}\n${text}\n\n${wanted.slice(to)}`;
  }
  if (!onlyChecks()) {
    await writeFile(file, wanted);
    console.log(`docs/${page}: ${summary}`);
  } else if (present !== wanted) {
    console.error(`docs/${page} is out of date; run npm run generate`);
    process.exitCode = 1;
  }
}

/** A text within a row of a table. */
export function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
