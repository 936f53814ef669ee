import { defineProjectChange, withSpec } from "./change-project.ts";

export default defineProjectChange({
  usage: "PROJECT URL",
  help: "Permit a repository no more.",
  arity: [1, 1],
  change(project, { args: [url = ""] }) {
    const old = project.spec.sourceRepos ?? [];
    if (!old.includes(url)) return { says: `Source repository '${url}' does not exist in project` };
    return { project: withSpec(project, { sourceRepos: old.toSpliced(old.indexOf(url), 1) }) };
  },
});
