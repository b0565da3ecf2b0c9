import { defineConfig } from 'vite';

/** The server's build contains its dependencies, so that it runs anywhere. */
export default defineConfig({ ssr: { noExternal: true } });
