import { CapstanError } from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import { deleteSecret } from "../repository/labelled-secrets.ts";
import { type ClusterNeeds, findCluster, secretOf } from "./known-clusters.ts";

export function deleteCluster(context: ClusterNeeds): HandlerOf<"deleteCluster"> {
  return async (asked, { user, signal }) => {
    const found = findCluster(context, { asked, user, action: "delete" });
    const stored = secretOf(found);
    if (!stored)
      throw new CapstanError({
        code: "FAILED_PRECONDITION",
        what: `cluster "${found.server}"`,
        problem: "is the one Capstan runs on",
      });
    await deleteSecret(context, stored, { what: `cluster "${found.server}"`, signal });
    return {};
  };
}
