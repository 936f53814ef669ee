import "./theme.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/frame.css";
import "./styles/list.css";
import "./styles/application.css";
import "./styles/tree.css";
import "./styles/panel.css";
import "./styles/pipeline.css";
import "./styles/parameters.css";
import "./styles/extensions.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { listenForKeys } from "./parts/keys.ts";
import { applyTheme } from "./parts/theme.ts";
import { paths } from "./paths.ts";
import { expectApplications } from "./queries/applications.ts";
import { onSessionLost } from "./queries/client.ts";
import { queryClient } from "./queries/query-client.ts";
import { loadPageAt, Pages } from "./routes.tsx";
import { pagePath } from "./server-url.ts";
import { goTo, pageHref } from "./url-state.ts";

applyTheme();
listenForKeys();
onSessionLost(() => {
  if (pagePath() !== paths.login()) goTo(paths.login(pageHref()), { replace: true });
});

const path = pagePath() === paths.home() ? paths.applications() : pagePath();
// Asked for now, and not once their place has been drawn.
loadPageAt(path);
if (path === paths.applications()) expectApplications();

const element = document.getElementById("root");
if (element) {
  createRoot(element).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <Pages />
      </QueryClientProvider>
    </StrictMode>,
  );
}
