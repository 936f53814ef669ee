import { CapstanError, withoutUserinfo } from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import { type ReadingNeeds, readableRepository } from "./readable-repository.ts";

export function listOciTags(context: ReadingNeeds): HandlerOf<"listOciTags"> {
  return async ({ repo: repoURL, appProject }, { user, signal }) => {
    const repository = readableRepository(context, { source: { repoURL }, appProject, user });
    if (repository.type !== "oci" && !/^oci:\/\//i.test(repoURL)) {
      const problem = "is of no registry: write oci://HOST/PATH, or ask for its refs";
      const what = `repository "${withoutUserinfo(repoURL)}"`;
      throw new CapstanError({ code: "FAILED_PRECONDITION", what, problem });
    }
    const { tags } = await context.repo.listRefs({ repository: { ...repository, type: "oci" } }, signal);
    return { tags };
  };
}
