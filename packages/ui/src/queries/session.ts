import { routes } from "@capstan/wire";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { forgetStreams } from "../streams/open-streams.ts";
import { ask } from "./ask.ts";
import { call } from "./client.ts";
import { forgetKept } from "./kept.ts";
import { renewPageSecret } from "./page-secret.ts";
import { queryClient } from "./query-client.ts";
import { leaveSignOn } from "./sign-on.ts";

/** Of local accounts. */
const ownIssuer = "argocd";

/** Below what a session is renewed in before its end: whoever only looks, and asks for nothing else, stays signed in. */
const userAgainMs = 120_000;

const userQuery = queryOptions({
  ...ask(routes.getUserInfo, {}),
  staleTime: 300_000,
  refetchInterval: userAgainMs,
});

export async function login(username: string, password: string): Promise<void> {
  forgetStreams();
  renewPageSecret();
  await call(routes.login, { username, password });
  // Reset, not clear: observers of the anonymous user must hear that there is another one now.
  await queryClient.resetQueries();
  await queryClient.fetchQuery(userQuery);
}

/** false: the browser has left the page for it. */
export async function logout(): Promise<boolean> {
  const issuer = queryClient.getQueryData(userQuery.queryKey)?.iss;
  if (issuer !== undefined && issuer !== ownIssuer) {
    forgetKept();
    forgetStreams();
    leaveSignOn();
    return false;
  }
  await call(routes.logout, {});
  queryClient.clear();
  forgetKept();
  forgetStreams();
  return true;
}

export function useUser() {
  return useQuery(userQuery);
}

export const useSettings = () => useQuery({ ...ask(routes.getSettings, {}), staleTime: 300_000 });

export const useVersion = () => useQuery({ ...ask(routes.getVersion, {}), staleTime: 300_000 });
