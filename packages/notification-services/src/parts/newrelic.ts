import { object, optional, string } from "@capstan/model/shapes";
import { definePart, replaceTexts } from "../template/part.ts";

/** What is printed where a template does not say (pkg/services/newrelic.go GetTemplater). */
const commit = "(call .repo.GetCommitMetadata .app.status.sync.revision)";
const defaults = {
  revision: "{{.app.status.operationState.syncResult.revision}}",
  changelog: `{{${commit}.Message}}`,
  user: `{{${commit}.Author}}`,
};

export const newrelicPart = definePart({
  key: "newrelic",
  schema: object({
    revision: optional(string()),
    changelog: optional(string()),
    description: optional(string()),
    user: optional(string()),
  }),
  compile({ revision, changelog, description, user }, textOf) {
    const texts = {
      revision: revision || defaults.revision,
      changelog: changelog || defaults.changelog,
      user: user || defaults.user,
      description,
    };
    return replaceTexts(texts, ["revision", "changelog", "description", "user"], textOf);
  },
});
