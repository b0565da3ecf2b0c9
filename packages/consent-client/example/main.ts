import { readGrants, submitChoice, watchGrants } from '@service/consent-client';

const list = document.querySelector('#grants');

function show(): void {
  const grants = Object.entries(readGrants() ?? {});
  const items = grants.map(([category, isGranted]) => {
    const item = document.createElement('li');
    item.textContent = `${category}: ${isGranted ? 'granted' : 'denied'}`;
    return item;
  });
  list?.replaceChildren(...items);
}

watchGrants(show);
show();
document.querySelector('#reject')?.addEventListener('click', () => {
  void submitChoice({ analytics: false, marketing: false, preferences: false });
});
