/** What a program needs before it knows what it is to do, or a small one altogether: all formats are forty files more. */
export { parseDuration } from "./duration.ts";
export { matchesPath } from "./glob/path-match.ts";
export { isRecord } from "./is-record.ts";
export { stringifyJson } from "./json.ts";
export { nearestName } from "./nearest-name.ts";
export { printable } from "./printable.ts";
export { formatTime } from "./time.ts";
export { withoutEndSlashes } from "./trim.ts";
