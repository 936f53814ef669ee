/** Calls that the page alone makes, asked by whoever may not. */
import type { Attack } from "../attack.ts";
import { fineConfigMap } from "../config-maps.ts";
import { deploys } from "../deploy.ts";
import { asks } from "../request.ts";
import { tellsNothing } from "./accounts.ts";

export const attacks: readonly Attack[] = [
  {
    id: "page-calls/changes-of-a-foreign-tree",
    threat: "An account follows the changes of a foreign application's tree, and of one that is not there",
    heldBy: "the same refusal for both, before anything is followed",
    play: async (world) => {
      await deploys("followed-tree", {
        files: () => ({ "app/a.yaml": fineConfigMap }),
        ends: { harmless: true },
      })(world);
      const streamOf = (name: string) => `/api/v1/stream/applications/${name}/resource-tree/changes`;
      await tellsNothing("bob", [streamOf("followed-tree"), streamOf("absent-tree")])(world);
    },
  },
  {
    id: "page-calls/a-dry-run-without-the-right",
    threat:
      "An account that may only see an application tries a patch of its objects, which shows what they hold",
    heldBy: "a dry run of a patch asks for the right to patch",
    play: async (world) => {
      await deploys("tried-patch", {
        files: () => ({ "app/a.yaml": fineConfigMap }),
        ends: { harmless: true },
      })(world);
      const where = "namespace=team-tried-patch&resourceName=fine&version=v1&kind=ConfigMap&group=";
      await asks({
        who: "carol",
        method: "POST",
        path: () =>
          `/api/v1/applications/tried-patch/resource?${where}&patchType=application/merge-patch%2Bjson&dryRun=true`,
        body: () => JSON.stringify(JSON.stringify({ data: { x: "y" } })),
        status: [403],
      })(world);
    },
  },
  {
    id: "page-calls/questions-without-end",
    threat: "An account asks for ten thousand rights in one request",
    heldBy: "two thousand questions are answered at a time",
    play: asks({
      who: "bob",
      method: "POST",
      path: () => "/api/v1/account/can-i",
      body: () => ({
        rights: Array.from({ length: 10_000 }, () => ({ resource: "projects", action: "get", object: "x" })),
      }),
      status: [400],
      says: /2,?000/,
    }),
  },
  {
    id: "page-calls/rights-of-another",
    threat: "An account asks what others may, to learn who they are and whom to be taken for",
    heldBy:
      "the right to see that account, asked before anything is answered; alike for one that is not there",
    play: async (world) => {
      const rights = [{ resource: "projects", action: "get", object: "default" }];
      const subjects = [
        { kind: "account", subject: "admin" },
        { kind: "account", subject: "not-there" },
        { kind: "user", subject: "somebody@example.com" },
        { kind: "group", subject: "admins" },
      ];
      for (const asked of subjects)
        await asks({
          who: "bob",
          method: "POST",
          path: () => "/api/v1/account/rights",
          body: () => ({ ...asked, rights }),
          status: [403],
        })(world);
    },
  },
];
