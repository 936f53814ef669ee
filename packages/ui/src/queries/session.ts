import { routes } from "@capstan/wire";
import { useQuery } from "@tanstack/react-query";
import { call } from "./client.ts";
import { queryClient } from "./query-client.ts";

export async function login(username: string, password: string): Promise<void> {
  await call(routes.login, { username, password });
  queryClient.clear();
}

export async function logout(): Promise<void> {
  await call(routes.logout, {});
  queryClient.clear();
}

export function useUser() {
  return useQuery({
    queryKey: ["user"],
    queryFn: ({ signal }) => call(routes.getUserInfo, {}, signal),
    staleTime: 300_000,
  });
}

export function useSettings() {
  return useQuery({
    queryKey: ["settings"],
    queryFn: ({ signal }) => call(routes.getSettings, {}, signal),
    staleTime: 300_000,
  });
}

export function useVersion() {
  return useQuery({
    queryKey: ["version"],
    queryFn: ({ signal }) => call(routes.getVersion, {}, signal),
    staleTime: 300_000,
  });
}
