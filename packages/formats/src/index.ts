export { isTooDeep, jsonBudget, parseBoundedJson } from "./bounded-json.ts";
export { compareBytes } from "./compare-bytes.ts";
export { isDnsLabel, isDnsSubdomain } from "./dns-names.ts";
export { parseDuration, parseNanoseconds, printNanoseconds } from "./duration.ts";
export { expansionProblem } from "./expansion.ts";
export { parseFieldSelector } from "./field-selector.ts";
export { hasGlob, matchesFiles } from "./glob/doublestar.ts";
export { compileGlob, isValidGlob, matchesGlob } from "./glob/gobwas.ts";
export { matchesPath } from "./glob/path-match.ts";
export { matchesPathspec } from "./glob/pathspec.ts";
export { printFloat, quoteGo, unquoteGo } from "./go-text.ts";
export { type Clock, formatGoTime, GoTimeError, type ParsedTime, parseGoTime } from "./go-time/layout.ts";
export { clockAt, floorSeconds, nanosecondsOf } from "./go-time/moment.ts";
export { fixedZone, utc, type Zone, zoneOf } from "./go-time/zone.ts";
export { isRecord } from "./is-record.ts";
export { canonicalJson, equalJson, jsonAsText, parseJson, stringifyJson } from "./json.ts";
export {
  applyJsonPatch,
  escapePointerStep,
  JsonPatchError,
  mostPatchOperations,
  type PatchLack,
  unescapePointerStep,
} from "./json-patch.ts";
export { findJsonPath, printJsonPath } from "./json-path/json-path.ts";
export { KeyIndex } from "./key-index.ts";
export { type Labels, meetsRequirement, printLabelSelector, selectsLabels } from "./label-selector.ts";
export { applyMergePatch, makeMergePatch } from "./merge-patch.ts";
export { nearestName, nearestOf } from "./nearest-name.ts";
export { parseBoolean } from "./parse-boolean.ts";
export { isLabelKey, parseLabelSelector } from "./parse-label-selector.ts";
export { printable } from "./printable.ts";
export { canonicalQuantity, parseQuantity, printQuantity, type Quantity } from "./quantity.ts";
export { SelectorError } from "./selector-error.ts";
export { surveyJson } from "./survey-json.ts";
export { formatTime, parseTime } from "./time.ts";
export { withoutEndSlashes, withoutTrailing } from "./trim.ts";
export { highestAllowed, newestIn, parseConstraint, parseVersion } from "./version-range.ts";
