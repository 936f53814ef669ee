import { hash } from "node:crypto";
import { CapstanError, sourcesOf } from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { findApplication } from "./find-application.ts";
import { shownManifests } from "./get-manifests.ts";
import type { RenderNeeds } from "./render-application.ts";

type Needs = RenderNeeds & Pick<ApiContext, "kube" | "rights">;

/** As `getManifests`, of a folder that the caller sends in place of the repository (server/application GetManifestsWithFiles). */
export function getManifestsWithFiles(context: Needs): HandlerOf<"getManifestsWithFiles"> {
  return async ({ files = "", checksum = "", ...request }, { user, signal }) => {
    const app = await findApplication(context, { request, user, action: "get", signal });
    const [source, ...more] = sourcesOf(app);
    if (!source || source.chart || more.length > 0)
      throw new CapstanError({
        code: "FAILED_PRECONDITION",
        what: `application "${app.metadata.name}"`,
        problem: "must have one source, in git, for files to stand for it",
      });
    if (hash("sha256", Buffer.from(files, "base64")) !== checksum.toLowerCase())
      throw new CapstanError({
        code: "INVALID_ARGUMENT",
        field: "checksum",
        problem: "is not the SHA-256 of the files that arrived: send them again",
      });
    return shownManifests(context, app, { uploaded: files, signal });
  };
}
