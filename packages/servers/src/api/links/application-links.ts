import { isSafeLink } from "@capstan/engine";
import type { HandlerOf } from "../../call.ts";
import { findApplication } from "../application/find-application.ts";
import type { ApiContext } from "../context.ts";
import { type LinkNeeds, linksFor, placeOf } from "./links-for.ts";

type Needs = LinkNeeds & Pick<ApiContext, "kube" | "rights">;

const prefix = "link.argocd.argoproj.io/";

/** Those of application.links (argocd-cm), and annotations `link.argocd.argoproj.io/<id>: URL` or `Title|URL`; only what a browser may open safely. */
export function listApplicationLinks(context: Needs): HandlerOf<"listApplicationLinks"> {
  return async (request, { user, signal }) => {
    const app = await findApplication(context, { request, user, action: "get", signal });
    const { cluster } = placeOf(context, app);
    const set = await linksFor(context, "application", { application: app, ...(cluster ? { cluster } : {}) });
    const written = Object.entries(app.metadata.annotations ?? {})
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, value]) => readLink(key.slice(prefix.length), value))
      .filter(({ url }) => isSafeLink(url));
    return { items: [...written, ...set] };
  };
}

function readLink(id: string, value: string): { title: string; url: string } {
  const bar = value.indexOf("|");
  return bar < 0
    ? { title: id, url: value.trim() }
    : { title: value.slice(0, bar).trim(), url: value.slice(bar + 1).trim() };
}
