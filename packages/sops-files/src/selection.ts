import { type GoRegexp, goRegexp } from "@capstan/formats/re2";
import type { Leaf } from "./encrypted-file.ts";

/** Which values are encrypted: at most one of these is set (stores.go ToInternal). */
export interface Selection {
  unencrypted_suffix?: string;
  encrypted_suffix?: string;
  unencrypted_regex?: string;
  encrypted_regex?: string;
  unencrypted_comment_regex?: string;
  encrypted_comment_regex?: string;
}

export const selectionNames = [
  "unencrypted_suffix",
  "encrypted_suffix",
  "unencrypted_regex",
  "encrypted_regex",
  "unencrypted_comment_regex",
  "encrypted_comment_regex",
] as const;

/** sops.go shouldBeEncrypted. */
export function selector(selection: Selection): (leaf: Leaf) => boolean {
  const { unencrypted_suffix: open, encrypted_suffix: closed } = selection;
  if (closed !== undefined) return ({ path }) => path.some((key) => key.endsWith(closed));
  if (selection.unencrypted_regex !== undefined) {
    const pattern = goRegexp(selection.unencrypted_regex);
    return ({ path }) => !path.some((key) => pattern.test(key));
  }
  if (selection.encrypted_regex !== undefined) {
    const pattern = goRegexp(selection.encrypted_regex);
    return ({ path }) => path.some((key) => pattern.test(key));
  }
  if (selection.unencrypted_comment_regex !== undefined) {
    const pattern = goRegexp(selection.unencrypted_comment_regex);
    return ({ comments }) => !comments.some((level) => level.some((comment) => pattern.test(comment)));
  }
  if (selection.encrypted_comment_regex !== undefined)
    return byEarlierComment(goRegexp(selection.encrypted_comment_regex));
  return ({ path }) => !path.some((key) => key.endsWith(open ?? "_unencrypted"));
}

/** A comment does not encrypt itself, only what comes after it. */
function byEarlierComment(pattern: GoRegexp): (leaf: Leaf) => boolean {
  return ({ comments, value }) =>
    comments.some((level, depth) => {
      const isOwn = value.type === "comment" && depth === comments.length - 1;
      return level.some((comment, at) => !(isOwn && at === level.length - 1) && pattern.test(comment));
    });
}
