import { routes } from "@capstan/wire";
import { useQuery } from "@tanstack/react-query";
import { ask } from "./ask.ts";

export const useProjects = () => useQuery(ask(routes.listProjects, {}));

export const useRepositories = () => useQuery(ask(routes.listRepositories, {}));

export const useClusters = () => useQuery(ask(routes.listClusters, {}));

export const useSettingsReport = () => useQuery(ask(routes.reportSettings, {}));

export const usePlugins = () => useQuery(ask(routes.listPlugins, {}));
