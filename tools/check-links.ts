/**
 * Links of the pages lead somewhere: to a file of this repository and, after `#`, to one of its headings. And comments
 * cite only pages that a clone has. Addresses of the web are not asked.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isTest, sourceFiles } from "./source-files.ts";

const pages = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.md"], { encoding: "utf8" })
  .split("\n")
  .filter((page) => page !== "" && existsSync(page) && !page.includes("/testdata/"));
const known = new Set(pages.map((page) => basename(page)));
const problems: string[] = [];

/** As GitHub makes them of headings: lower case, punctuation dropped, spaces to hyphens. */
function anchorsOf(page: string): Set<string> {
  const headings = textOf(page).matchAll(/^#+ +(.*)$/gm);
  return new Set(
    [...headings].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .trim()
        .replaceAll(" ", "-"),
    ),
  );
}

/** Without fenced code, in which nothing is a link or a heading. */
const textOf = (page: string): string => readFileSync(page, "utf8").replace(/^```[\s\S]*?^```/gm, "");

function checkLink(page: string, link: string): void {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : join(dirname(page), decodeURIComponent(path));
  if (!existsSync(target)) problems.push(`${page}: ${link} leads to no file`);
  else if (anchor && target.endsWith(".md") && !anchorsOf(target).has(anchor))
    problems.push(`${page}: ${link} leads to no heading of ${target}`);
}

for (const page of pages)
  for (const [, link = ""] of textOf(page).matchAll(/\]\(([^()\s]+)\)/g))
    if (!/^[a-z]+:/.test(link)) checkLink(page, link);

for (const file of sourceFiles().filter((one) => !isTest(one) && existsSync(one)))
  for (const [comment] of readFileSync(file, "utf8").matchAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm))
    for (const [cited] of comment.matchAll(/(?<![\w./-]|https?:.*)[\w./-]+\.md\b/g))
      if (!known.has(basename(cited)))
        problems.push(`${file}: cites ${cited}, which is no page of this repository`);

for (const problem of problems) console.error(problem);
console.log(`check-links: ${pages.length} pages, ${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;
