import { formatTime } from "@capstan/formats";
import type { AppProject } from "@capstan/model";
import { defineCommand } from "../../command.ts";
import { formatTable } from "../../output/table.ts";
import { formatAge } from "../../output/tree.ts";
import { findRole } from "./roles.ts";

export default defineCommand({
  usage: "PROJECT ROLE-NAME",
  help: "Show one role of a project: its policy, its groups and its tokens.",
  argument: "project",
  arity: [2, 2],
  flags: {},
  async run({ args: [name = "", roleName = ""], io, api }) {
    const project = await (await api()).call("getProject", { name });
    const role = findRole(project, roleName);
    const groups = role.groups ?? [];
    const tokens = project.status?.jwtTokensByRole?.[roleName]?.items ?? role.jwtTokens ?? [];
    const rows = tokens.map(({ iat, exp }) => [
      String(iat),
      moment(iat, io.clock.now()),
      exp ? moment(exp, io.clock.now()) : "<none>",
    ]);
    io.out(
      [
        `${"Role Name:".padEnd(15)}${roleName}\n`,
        `${"Description:".padEnd(15)}${role.description ?? ""}\n`,
        `Policies:\n${policiesOf(project).join("\n")}\n`,
        `Groups:\n${groups.length > 0 ? groups.map((group) => `  - ${group}\n`).join("") : "<none>\n"}`,
        "JWT Tokens:\n",
        formatTable([["ID", "ISSUED-AT", "EXPIRES-AT"], ...rows]),
      ].join(""),
    );
    return 0;
  },
});

/** Those of all roles, with the ones that need not be written (v1alpha1 AppProject.ProjectPoliciesString). */
function policiesOf({ metadata: { name }, spec }: AppProject): string[] {
  return (spec.roles ?? []).flatMap((role) => [
    `p, proj:${name}:${role.name}, projects, get, ${name}, allow`,
    ...(role.policies ?? []),
    ...(role.groups ?? []).map((group) => `g, ${group}, proj:${name}:${role.name}`),
  ]);
}

/** `2026-01-02T03:04:05Z (3h ago)` */
function moment(seconds: number, nowMs: number): string {
  const ms = seconds * 1000;
  const distance = ms > nowMs ? `${formatAge(ms - nowMs)} from now` : `${formatAge(nowMs - ms)} ago`;
  return `${formatTime(ms)} (${distance})`;
}
