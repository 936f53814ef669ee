import { routes } from "@capstan/wire";
import { useQuery } from "@tanstack/react-query";
import { call } from "./client.ts";

export function useProjects() {
  return useQuery({
    queryKey: ["projects"],
    queryFn: ({ signal }) => call(routes.listProjects, {}, signal),
  });
}

export function useRepositories() {
  return useQuery({
    queryKey: ["repositories"],
    queryFn: ({ signal }) => call(routes.listRepositories, {}, signal),
  });
}

export function useClusters() {
  return useQuery({
    queryKey: ["clusters"],
    queryFn: ({ signal }) => call(routes.listClusters, {}, signal),
  });
}

export function useSettingsReport() {
  return useQuery({
    queryKey: ["settings-report"],
    queryFn: ({ signal }) => call(routes.reportSettings, {}, signal),
  });
}

export function usePlugins() {
  return useQuery({
    queryKey: ["plugins"],
    queryFn: ({ signal }) => call(routes.listPlugins, {}, signal),
  });
}
