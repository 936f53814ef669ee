import { matchesFiles } from "@capstan/formats";
import * as React from "react";
import * as ReactJsxRuntime from "react/jsx-runtime";
import * as ReactDom from "react-dom";
import { serverUrl } from "../../server-url.ts";
import { tellFailure } from "../notices.tsx";
import { followTheme } from "./follow-theme.ts";
import {
  type ActionExtension,
  changeExtensions,
  type PageExtension,
  type ResourceExtension,
  type StatusExtension,
  type ViewExtension,
} from "./registry.ts";
import { signOwnCalls } from "./sign-own-calls.ts";

const always = () => true;
const textOf = (given: unknown): string => (typeof given === "string" ? given : "");

/** As minimatch, of which `**` alone takes the group that has no name. */
function matchesPart(glob: string, text: string): boolean {
  return glob === text || (text === "" ? glob === "**" : matchesFiles(glob, text));
}

/** The calls of Argo CD 3.6, with their parameters one after the other, and one that our server's scripts make. */
const calls = {
  registerResourceExtension(...[component, group, kind, title]: Parameters<RegisterResource>) {
    const matches = (ofGroup: string, ofKind: string) =>
      matchesPart(textOf(group), ofGroup) && matchesPart(textOf(kind), ofKind);
    const added = { component, title: textOf(title), matches };
    changeExtensions(({ resources }) => ({ resources: [...resources, added] }));
  },
  registerSystemLevelExtension(...[component, title, path]: Parameters<RegisterPage>) {
    const added = { component, title: textOf(title), path: `/${textOf(path).replace(/^\/+/, "")}` };
    changeExtensions(({ pages }) => ({ pages: [...pages, added] }));
  },
  registerAppViewExtension(...[component, title, _icon, shouldDisplay = always]: Parameters<RegisterView>) {
    const added = { component, title: textOf(title), shouldDisplay };
    changeExtensions(({ views }) => ({ views: [...views, added] }));
  },
  registerStatusPanelExtension(...[component, title, id, flyout]: Parameters<RegisterStatus>) {
    const added = { component, title: textOf(title), id: textOf(id), flyout };
    changeExtensions(({ statuses }) => ({ statuses: [...statuses, added] }));
  },
  registerTopBarActionMenuExt(...given: Parameters<RegisterAction>) {
    const [component, title, id, flyout, shouldDisplay = always, _icon, isMiddle = false] = given;
    const added = { component, title: textOf(title), id: textOf(id), flyout, shouldDisplay, isMiddle };
    changeExtensions(({ actions }) => ({ actions: [...actions, added] }));
  },
  failed(path: string, failure: unknown) {
    tellFailure(`The extension ${path} of this page could not be started`, failure);
  },
};

type Icon = string | undefined;
type RegisterResource = (
  component: ResourceExtension["component"],
  group: string,
  kind: string,
  tabTitle: string,
  options?: { icon: string },
) => void;
type RegisterPage = (component: PageExtension["component"], title: string, path: string, icon: Icon) => void;
type RegisterView = (
  component: ViewExtension["component"],
  title: string,
  icon?: Icon,
  shouldDisplay?: ViewExtension["shouldDisplay"],
) => void;
type RegisterStatus = (
  component: StatusExtension["component"],
  title: string,
  id: string,
  flyout?: StatusExtension["flyout"],
) => void;
type RegisterAction = (
  component: ActionExtension["component"],
  title: string,
  id: string,
  flyout?: ActionExtension["flyout"],
  shouldDisplay?: ActionExtension["shouldDisplay"],
  iconClassName?: Icon,
  isMiddle?: boolean,
) => void;

/** The way before there were calls: by "group/Kind". */
type Former = Record<string, { component: ResourceExtension["component"] }>;

let loading: Promise<void> | undefined;

/** Runs the operator's scripts, once, with all that they find in Argo CD's page. */
export function loadScripts(): Promise<void> {
  loading ??= run();
  return loading;
}

async function run(): Promise<void> {
  const former: Former = {};
  Object.assign(window, {
    ...{ React, ReactDOM: ReactDom, ReactJSXRuntime: ReactJsxRuntime },
    ...{ extensionsAPI: calls, extensions: { resources: former } },
  });
  signOwnCalls();
  followTheme();
  await runScript(serverUrl("/extensions.js")).catch((failure: unknown) =>
    tellFailure("The extensions of this page could not be loaded", failure),
  );
  for (const [key, { component }] of Object.entries(former)) {
    const [group = "", kind = ""] = key.split("/");
    calls.registerResourceExtension(component, group, kind, "More");
  }
  changeExtensions(() => ({ isLoaded: true }));
}

function runScript(src: string): Promise<void> {
  const script = document.createElement("script");
  script.src = src;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  script.onload = () => resolve();
  script.onerror = () => reject(new Error(`GET ${src} failed`));
  document.head.append(script);
  return promise;
}
