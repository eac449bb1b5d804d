import { h, render } from 'preact';
import { App } from './app.tsx';
import { main } from './page.ts';

// The skeleton goes in the same frame in which the tab comes, so that nothing moves.
main.replaceChildren();
render(h(App, {}), main);
