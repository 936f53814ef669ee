import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { knownSettings } from "./known-settings.ts";

const read = (name: string): readonly string[] =>
  readFileSync(join(import.meta.dirname, "testdata", name), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));

/** What Argo CD 3.6 knows, as `<where> <key>`, kept beside the table so that neither can lose one alone. */
const keys = read("argocd-keys.txt");

test("every setting that Argo CD 3.6 knows stands in the table", () => {
  const rows = new Set(knownSettings().map(({ holder, part, key }) => `${holder}: ${part} ${key}`));
  assert.deepEqual(
    keys.filter((key) => !rows.has(key)),
    [],
  );
  assert.ok(keys.length > 500);
});

const pages = join(import.meta.dirname, "..", "..", "..", "..", "..", "shared", "spec");
const skip = existsSync(pages)
  ? false
  : `${pages} is absent: the pages about Argo CD are not compared with the table`;

/** Chapters that list settings, by page. */
const chapters: readonly [string, RegExp][] = [
  ["argocd-server.md", /^## [67]\. [\s\S]*?(?=^## 8\.)/m],
  ["argocd-crds.md", /^### 1\.1[\s\S]*?(?=^### 1\.5)/m],
  ["argocd-crds.md", /^### 1\.7[\s\S]*?(?=^## 2\.)/m],
  ["argocd-crds.md", /^### 2\.1[\s\S]*?(?=^### 2\.2)/m],
  ["argocd-crds.md", /^### 2\.3[\s\S]*?(?=^## 3\.)/m],
  ["argocd-crds.md", /^### 3\.1[\s\S]*?(?=^### 3\.2)/m],
  ["argocd-sync.md", /^## 10\.[\s\S]*?(?=^## 11\.)/m],
  ["argocd-sync.md", /^## 13\.[\s\S]*?(?=^## 14\.)/m],
];

/** Words in the pages that are no settings: values, defaults, code. */
const others = new Set(read("no-settings.txt"));

test("every word of the pages' chapters about settings stands in the table or is none", { skip }, () => {
  const all = knownSettings().map(({ key }) => key);
  const known = new Set(all.flatMap((key) => [key, ...key.replace(/=.*$/, "").split(/[./[\]<>]+/)]));
  const unknown = chapters.flatMap(([page, chapter]) => {
    const [text] = chapter.exec(readFileSync(join(pages, page), "utf8")) ?? [];
    assert.ok(text, `${page} ${chapter}`);
    const words = [...text.matchAll(/`([^`]+)`/g)].flatMap(([, word = ""]) => wordsOf(word));
    return words.filter((word) => !known.has(word) && !others.has(word));
  });
  assert.deepEqual([...new Set(unknown)], []);
});

/** `a.b/c` and `d{e,f}` are several. */
function wordsOf(text: string): string[] {
  return text.split(/[\s{}[\],;|/=.<>]+/).filter((word) => /^[A-Za-z][\w-]*$/.test(word));
}
