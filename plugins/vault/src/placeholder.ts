import { withoutTrailing } from "@capstan/formats";
import { type GoRegexp, goRegexp } from "@capstan/formats/re2";

/** `<key>` of the document's own path, or `<path:where#key#version>`; behind "|" what is done to the value. */
export interface Placeholder {
  /** As it stands in the text. */
  text: string;
  /** undefined: the path of the document's annotation. */
  path?: string;
  key: string;
  version?: string;
  modifiers: readonly string[];
}

const inline = goRegexp("<path:[^#<>]+#[^#]+?(?:#[^#]+?)??>");
const generic = goRegexp("<[^\\n]*?>");
const address = /path:([^#]+)#([^#]+)(?:#(.+))?/;

/** argocd-vault-plugin pkg/kube/util.go: generic placeholders count only where the document has a path of its own. */
export function placeholderPattern(hasPath: boolean): GoRegexp {
  return hasPath ? generic : inline;
}

export function readPlaceholder(text: string): Placeholder {
  const [first = "", ...modifiers] = withoutTrailing(text.replace(/^<+/, ""), ">").split("|");
  const [, path, key, version] = address.exec(first.trim()) ?? [];
  const done = modifiers.map((modifier) => modifier.trim());
  if (path === undefined || key === undefined) return { text, key: first.trim(), modifiers: done };
  return {
    text,
    path: path.trim(),
    key: key.trim(),
    ...(version === undefined ? {} : { version: version.trim() }),
    modifiers: done,
  };
}
