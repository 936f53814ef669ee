import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** `npm run dev` shows a running Capstan: CAPSTAN_URL names it (default: what `npm start` prints). */
const server = process.env.CAPSTAN_URL ?? "http://127.0.0.1:8080";

const firstShown =
  /ui\/src\/(primitives\/(time-ago|durations|middle-cut|copy-button|states|dialog|segmented|filter-menu)|queries\/(kept|ask|client|query-client|live|rights|applications|page-secret|connection)|parts\/application-(rights|facts))\.tsx?$/;

export default defineConfig({
  root: import.meta.dirname,
  // Addresses within the page begin at its <base>, which the server sets (--basehref).
  base: "./",
  plugins: [react()],
  server: {
    proxy: Object.fromEntries(
      ["/api", "/auth"].map((path) => [path, { target: server, changeOrigin: true, secure: false }]),
    ),
  },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2023",
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      input: ["index.html", "plugin-dev.html"],
      // What the list and an application both show first: many small files compress worse than one.
      output: { codeSplitting: { groups: [{ name: "first", test: firstShown }] } },
    },
  },
});
