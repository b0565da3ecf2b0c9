import type { KnownChoice } from '@service/consent-react';
import { hydrateRoot } from 'react-dom/client';
import { App } from './app.js';

const choice = JSON.parse(document.querySelector('#choice')?.textContent ?? 'null') as KnownChoice | null;
const root = document.querySelector('#root');
if (root) hydrateRoot(root, <App choice={choice} />);
