import { isRecord } from "@capstan/formats";
import { CapstanError, messageOf, parseYaml } from "@capstan/model";
import type { RevisionRequest } from "./repo-server.ts";

export interface PathPattern {
  path: string;
  /** Whatever the order, what matches is left out. */
  exclude?: boolean;
}

/** One of both is asked for. */
export interface GitContentRequest extends RevisionRequest {
  /** As Go's path.Match; hidden ones, and what is below them, only where `hidden` says so. */
  directories?: readonly PathPattern[];
  hidden?: boolean;
  /** As git's pathspecs, or with `doublestar` so that `*` stays within one directory. */
  files?: readonly PathPattern[];
  doublestar?: boolean;
}

export interface GitContent {
  revision: string;
  /** In byte order. */
  directories?: readonly string[];
  /** By path, each with the objects that it holds as YAML or JSON: one, or a list of them. */
  files?: readonly { path: string; objects: readonly { readonly [field: string]: unknown }[] }[];
}

/** Of an answer to one question. */
export const gitContentLimits = {
  maxDirectories: 250_000,
  maxFiles: 10_000,
  /** Of all files together. */
  maxBytes: 16 * 2 ** 20,
  maxFileBytes: 2 * 2 ** 20,
} as const;

export function isMeantPath(
  patterns: readonly PathPattern[],
  path: string,
  matches: (pattern: string, path: string) => boolean,
): boolean {
  const matching = patterns.filter((one) => matches(one.path, path));
  return matching.length > 0 && !matching.some(({ exclude = false }) => exclude);
}

/** An object, or a list of objects; an empty file is an object without fields. */
export function objectsInFile(file: string, text: string): readonly { readonly [field: string]: unknown }[] {
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch (error) {
    throw refusedContent(`the file ${file} cannot be read: ${messageOf(error)}`);
  }
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  return all.map((one) => {
    const object = one ?? {};
    if (!isRecord(object))
      throw refusedContent(`the file ${file} holds neither an object nor a list of objects`);
    return object;
  });
}

export function refusedContent(problem: string): CapstanError {
  return new CapstanError({ code: "FAILED_PRECONDITION", what: "the repository", problem });
}
