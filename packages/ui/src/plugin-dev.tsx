import "./theme.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/application.css";
import "./styles/pipeline.css";
import "./styles/plugin-dev.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { PluginDevPage } from "./pages/plugin-dev/plugin-dev-page.tsx";
import { applyTheme } from "./parts/theme.ts";

applyTheme();
const element = document.getElementById("root");
if (element) {
  createRoot(element).render(
    <StrictMode>
      <PluginDevPage />
    </StrictMode>,
  );
}
