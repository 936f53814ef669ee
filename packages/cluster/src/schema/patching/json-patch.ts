import { applyJsonPatch, JsonPatchError, mostPatchOperations } from "@capstan/formats";
import { ApiError } from "../../types.ts";
import { isObject } from "../json.ts";
import { misfitWords } from "./misfit-words.ts";

/** RFC 6902, with kube-apiserver's refusals. The document is not changed. */
export function jsonPatch(document: unknown, operations: unknown): unknown {
  return patched(document, operations, () => rejection);
}

/** The same for the patch of a webhook: of that one kube-apiserver says what does not fit. */
export function webhookPatch(document: unknown, operations: unknown): unknown {
  return patched(document, operations, misfitWords);
}

function patched(
  document: unknown,
  operations: unknown,
  wordsOf: (error: JsonPatchError) => string,
): unknown {
  if (!Array.isArray(operations))
    throw new ApiError(
      400,
      "BadRequest",
      `error decoding patch: json: cannot unmarshal ${isObject(operations) ? "object" : typeof operations} into Go value of type []handlers.jsonPatchOp`,
    );
  if (operations.length > mostPatchOperations)
    throw new ApiError(
      413,
      "RequestEntityTooLarge",
      `The allowed maximum operations in a JSON patch is ${mostPatchOperations}, got ${operations.length}`,
    );
  try {
    return applyJsonPatch(document, operations);
  } catch (error) {
    if (!(error instanceof JsonPatchError)) throw error;
    if (error.reason === "test") throw new PatchTestFailed(wordsOf(error));
    if (error.reason === "misfit") throw new ApiError(422, "Invalid", wordsOf(error), {});
    throw new ApiError(413, "RequestEntityTooLarge", `The JSON patch is too large: ${error.message}`);
  }
}

/** kube-apiserver keeps the reason to itself; the words are those of its generic 422. */
const rejection = "the server rejected our request due to an error in our request";

/** A "test" of the patch found something else. */
export class PatchTestFailed extends ApiError {
  constructor(message: string) {
    super(422, "Invalid", message, {});
  }
}
