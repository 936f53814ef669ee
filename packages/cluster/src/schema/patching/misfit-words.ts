import { isRecord, type JsonPatchError, type PatchLack } from "@capstan/formats";

const missing = "missing value";

/** Why a JSON patch does not fit, as gopkg.in/evanphx/json-patch.v4 says it (patch.go), which kube-apiserver uses. */
export function misfitWords(error: JsonPatchError): string {
  const operation = isRecord(error.operation) ? error.operation : {};
  const [op, path, from] = [operation.op, operation.path, operation.from].map(String);
  if (error.reason === "test") return `testing value ${path} failed: test failed`;
  const { lack } = error;
  if (!lack) return error.message;
  if (lack.what === "parent") return noParent(`${op}`, lack.of === "from" ? `${from}` : `${path}`, lack);
  const problem = problemOf(lack);
  switch (op) {
    case "replace":
      return `replace operation does not apply: doc is missing key: ${path}: ${missing}`;
    case "move":
      return `error in move for path: '${lack.of === "from" ? lack.key : path}': ${problem}`;
    case "copy":
      return lack.of === "from"
        ? `error in copy for from: '${from}': ${problem}`
        : `error while adding value during copy: ${problem}`;
    default:
      return `error in ${op} for path: '${path}': ${problem}`;
  }
}

function noParent(op: string, pointer: string, { of }: PatchLack): string {
  const fails = `${op} operation does not apply:`;
  switch (op) {
    case "add":
    case "remove":
      return `${fails} doc is missing path: "${pointer}": ${missing}`;
    case "replace":
      return `${fails} doc is missing path: ${pointer}: ${missing}`;
    case "test":
      return `${fails} is missing path: ${pointer}: ${missing}`;
    default:
      return `${fails} doc is missing ${of === "from" ? "from" : "destination"} path: ${pointer}: ${missing}`;
  }
}

function problemOf({ what, key }: PatchLack): string {
  if (what === "key") return `Unable to remove nonexistent key: ${key}: ${missing}`;
  if (what === "number")
    return `value was not a proper array index: '${key}': strconv.Atoi: parsing "${key}": invalid syntax`;
  return `Unable to access invalid index: ${Number(key)}: invalid index referenced`;
}
