import { applyJsonPatch, JsonPatchError, mostPatchOperations } from "@capstan/formats";
import { ApiError } from "../../types.ts";
import { isObject } from "../json.ts";

/** RFC 6902, with kube-apiserver's refusals. The document is not changed. */
export function jsonPatch(document: unknown, operations: unknown): unknown {
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
    if (error.reason === "test") throw new PatchTestFailed();
    if (error.reason === "misfit") throw new ApiError(422, "Invalid", rejection, {});
    throw new ApiError(413, "RequestEntityTooLarge", `The JSON patch is too large: ${error.message}`);
  }
}

/** kube-apiserver keeps the reason to itself; the words are those of its generic 422. */
const rejection = "the server rejected our request due to an error in our request";

/** A "test" of the patch found something else. */
export class PatchTestFailed extends ApiError {
  constructor() {
    super(422, "Invalid", rejection, {});
  }
}
