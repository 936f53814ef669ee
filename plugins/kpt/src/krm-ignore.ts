import { matchesFiles } from "@capstan/formats";

interface Rule {
  isNegated: boolean;
  onlyDirectories: boolean;
  matches(path: string): boolean;
}

/** Which files and directories of a package a `.krmignore` hides; its rules are those of `.gitignore`. */
export function readKrmIgnore(content: string): (path: string, isDirectory: boolean) => boolean {
  const rules = content.split("\n").flatMap((line) => readRule(line) ?? []);
  return (path, isDirectory) => {
    let isIgnored = false;
    for (const rule of rules)
      if ((isDirectory || !rule.onlyDirectories) && rule.matches(path)) isIgnored = !rule.isNegated;
    return isIgnored;
  };
}

function readRule(line: string): Rule | undefined {
  let pattern = line.trim();
  if (pattern === "" || pattern.startsWith("#")) return undefined;
  const isNegated = pattern.startsWith("!");
  if (isNegated) pattern = pattern.slice(1);
  const onlyDirectories = pattern.endsWith("/");
  pattern = pattern.replace(/\/$/, "").replace(/^\.\//, "/");
  const isAnchored = pattern.includes("/");
  const glob = pattern.replace(/^\//, "");
  const matches = (path: string): boolean =>
    matchesFiles(glob, isAnchored ? path : (path.split("/").at(-1) ?? ""));
  return { isNegated, onlyDirectories, matches };
}
