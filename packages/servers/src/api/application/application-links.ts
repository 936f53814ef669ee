import { isSafeLink } from "@capstan/engine";
import type { HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { findApplication } from "./find-application.ts";

type Needs = Pick<ApiContext, "live" | "kube" | "rights" | "controlNamespace" | "settings">;

const prefix = "link.argocd.argoproj.io/";

/** Annotations `link.argocd.argoproj.io/<id>: URL` or `Title|URL`; only what a browser may open safely. */
export function listApplicationLinks(context: Needs): HandlerOf<"listApplicationLinks"> {
  return async (request, { user, signal }) => {
    const app = await findApplication(context, { request, user, action: "get", signal });
    const items = Object.entries(app.metadata.annotations ?? {})
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, value]) => readLink(key.slice(prefix.length), value))
      .filter(({ url }) => isSafeLink(url));
    return { items };
  };
}

function readLink(id: string, value: string): { title: string; url: string } {
  const bar = value.indexOf("|");
  return bar < 0
    ? { title: id, url: value.trim() }
    : { title: value.slice(0, bar).trim(), url: value.slice(bar + 1).trim() };
}

export function listResourceLinks(context: Needs): HandlerOf<"listResourceLinks"> {
  return async (request, { user, signal }) => {
    await findApplication(context, { request, user, action: "get", signal });
    return { items: [] };
  };
}
