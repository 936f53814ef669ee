import { badRequest, notFound } from "../objects/failures.ts";
import { requireAccess } from "../security/require-access.ts";
import type { ApiResponse } from "../types.ts";
import type { Api } from "./api.ts";
import type { ResourceCall } from "./call.ts";
import { isTrue } from "./list-options.ts";

const sessions = ["exec", "attach", "portforward"] as const;

/**
 * exec, attach and portforward. Whoever may only read a Pod may not run something in it: a websocket's GET needs the
 * right to create, too (KEP-5730's AuthorizePodWebsocketUpgradeCreatePermission).
 */
export function openSession(api: Api, call: ResourceCall): ApiResponse {
  const { namespace, name, query, request, user, served, path } = call;
  const subresource = sessions.find((one) => one === call.subresource);
  if (subresource === undefined) throw badRequest(`${call.subresource} is no session`);
  if (request.method === "GET") {
    const { group, resource } = served.info;
    requireAccess(api.rbac, {
      user,
      info: { verb: "create", group, resource, subresource, namespace, name, path },
    });
  }
  if (api.store.get(served.type, namespace, name) === undefined) throw notFound(served.info, name);
  if (!request.canUpgrade) throw badRequest("Upgrade request required");
  const command = query.getAll("command");
  if (subresource === "exec" && command.length === 0) throw badRequest("command: Required value");
  const container = query.get("container");
  const session = api.openPodSession({
    subresource,
    namespace,
    name,
    command,
    stdin: isTrue(query.get("stdin")),
    stdout: isTrue(query.get("stdout") ?? "true"),
    stderr: isTrue(query.get("stderr") ?? "true"),
    tty: isTrue(query.get("tty")),
    ...(container && { container }),
  });
  return { status: 101, headers: {}, body: "", session };
}
