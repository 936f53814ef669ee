import { isSameRepository } from "@capstan/model";
import { defineProjectChange, withSpec } from "./change-project.ts";

export default defineProjectChange({
  usage: "PROJECT URL",
  help: "Permit a repository.",
  arity: [1, 1],
  change(project, { args: [url = ""] }) {
    const old = project.spec.sourceRepos ?? [];
    const found = old.find((one) => one === "*" || isSameRepository(one, url));
    if (found !== undefined) return { says: `Source repository '${found}' already allowed in project` };
    return { project: withSpec(project, { sourceRepos: [...old, url] }) };
  },
});
