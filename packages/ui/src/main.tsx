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
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { listenForKeys } from "./parts/keys.ts";
import { applyTheme } from "./parts/theme.ts";
import { paths } from "./paths.ts";
import { onSessionLost } from "./queries/client.ts";
import { queryClient } from "./queries/query-client.ts";
import { router } from "./routes.tsx";

applyTheme();
listenForKeys();
onSessionLost(() => {
  const { pathname, searchStr } = router.state.location;
  if (pathname !== paths.login()) router.history.replace(paths.login(pathname + searchStr));
});

const element = document.getElementById("root");
if (element) {
  createRoot(element).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
