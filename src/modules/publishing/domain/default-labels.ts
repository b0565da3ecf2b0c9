import type { COUNT_LABELS, Labels, MODE_LABELS, PAGE_LABELS } from './banner-text.js';

/** Labels of the modes other than opt-in, of the banner's additions to the page, and of counts. */
type AddedLabels = Omit<
  Pick<
    Labels,
    | (typeof MODE_LABELS)[keyof typeof MODE_LABELS][number]
    | (typeof PAGE_LABELS)[number]
    | (typeof COUNT_LABELS)[number]
  >,
  'signalHonoured'
>;

/** Default labels by language; `{category}` is the title of a category, `{categories}` several of them, `{count}` a number of cookies. */
export const ADDED_LABELS = {
  en: {
    optOutTitle: 'Your privacy choices',
    optOutDescription:
      'We and our partners use cookies to measure how this site is used, to show ads, and to remember your preferences. You can opt out at any time, including of the sale or sharing of your personal information.',
    optOutAccept: 'OK',
    optOutReject: 'Do not sell or share my personal information',
    noticeTitle: 'Cookies on this site',
    noticeDescription:
      'We and our partners use cookies to measure how this site is used, to show ads, and to remember your preferences. You can change this in the privacy settings.',
    signalTitle: 'You are opted out',
    mixedNote: 'Already on, unless you object: {categories}.',
    blockedFrame: 'This content needs your consent to “{category}”.',
    allowCategory: 'Allow {category}',
    reloadText: 'Some scripts that you no longer allow keep running until the page is reloaded.',
    reload: 'Reload page',
    cookieOne: '{count} cookie',
    cookieCount: '{count} cookies',
  },
  de: {
    optOutTitle: 'Ihre Datenschutzoptionen',
    optOutDescription:
      'Wir und unsere Partner verwenden Cookies, um die Nutzung dieser Website zu messen, Werbung anzuzeigen und Ihre Einstellungen zu speichern. Sie können dem jederzeit widersprechen.',
    optOutAccept: 'In Ordnung',
    optOutReject: 'Widersprechen',
    noticeTitle: 'Cookies auf dieser Website',
    noticeDescription:
      'Wir und unsere Partner verwenden Cookies, um die Nutzung dieser Website zu messen, Werbung anzuzeigen und Ihre Einstellungen zu speichern. Sie können das in den Datenschutzeinstellungen ändern.',
    signalTitle: 'Ihr Widerspruch gilt',
    mixedNote: 'Bereits aktiv, solange Sie nicht widersprechen: {categories}.',
    blockedFrame: 'Dieser Inhalt benötigt Ihre Einwilligung für „{category}“.',
    allowCategory: '{category} erlauben',
    reloadText: 'Einige Skripte, die Sie nicht mehr erlauben, laufen weiter, bis die Seite neu geladen wird.',
    reload: 'Seite neu laden',
    cookieOne: '{count} Cookie',
    cookieCount: '{count} Cookies',
  },
  fr: {
    optOutTitle: 'Vos choix de confidentialité',
    optOutDescription:
      'Nous et nos partenaires utilisons des cookies pour mesurer l’utilisation de ce site, afficher des publicités et mémoriser vos réglages. Vous pouvez vous y opposer à tout moment.',
    optOutAccept: 'D’accord',
    optOutReject: 'M’y opposer',
    noticeTitle: 'Cookies sur ce site',
    noticeDescription:
      'Nous et nos partenaires utilisons des cookies pour mesurer l’utilisation de ce site, afficher des publicités et mémoriser vos réglages. Vous pouvez changer cela dans les réglages de confidentialité.',
    signalTitle: 'Votre opposition est prise en compte',
    mixedNote: 'Déjà actifs, sauf opposition de votre part : {categories}.',
    blockedFrame: 'Ce contenu nécessite votre consentement pour « {category} ».',
    allowCategory: 'Autoriser {category}',
    reloadText:
      'Certains scripts que vous n’autorisez plus continuent de s’exécuter jusqu’au rechargement de la page.',
    reload: 'Recharger la page',
    cookieOne: '{count} cookie',
    cookieCount: '{count} cookies',
  },
  es: {
    optOutTitle: 'Sus opciones de privacidad',
    optOutDescription:
      'Nosotros y nuestros socios utilizamos cookies para medir el uso de este sitio, mostrar anuncios y recordar sus preferencias. Puede oponerse en cualquier momento.',
    optOutAccept: 'De acuerdo',
    optOutReject: 'Oponerme',
    noticeTitle: 'Cookies en este sitio',
    noticeDescription:
      'Nosotros y nuestros socios utilizamos cookies para medir el uso de este sitio, mostrar anuncios y recordar sus preferencias. Puede cambiarlo en los ajustes de privacidad.',
    signalTitle: 'Su oposición está activa',
    mixedNote: 'Ya activadas, salvo que se oponga: {categories}.',
    blockedFrame: 'Este contenido requiere su consentimiento para «{category}».',
    allowCategory: 'Permitir {category}',
    reloadText: 'Algunos scripts que ya no permite siguen activos hasta que se recargue la página.',
    reload: 'Recargar la página',
    cookieOne: '{count} cookie',
    cookieCount: '{count} cookies',
  },
  it: {
    optOutTitle: 'Le sue scelte sulla privacy',
    optOutDescription:
      'Noi e i nostri partner utilizziamo cookie per misurare l’uso di questo sito, mostrare annunci e ricordare le sue preferenze. Può opporsi in qualsiasi momento.',
    optOutAccept: 'Va bene',
    optOutReject: 'Mi oppongo',
    noticeTitle: 'Cookie su questo sito',
    noticeDescription:
      'Noi e i nostri partner utilizziamo cookie per misurare l’uso di questo sito, mostrare annunci e ricordare le sue preferenze. Può modificare questa scelta nelle impostazioni sulla privacy.',
    signalTitle: 'La sua opposizione è attiva',
    mixedNote: 'Già attive, salvo sua opposizione: {categories}.',
    blockedFrame: 'Questo contenuto richiede il suo consenso per «{category}».',
    allowCategory: 'Consenti {category}',
    reloadText: 'Alcuni script che non consente più restano attivi finché la pagina non viene ricaricata.',
    reload: 'Ricarica la pagina',
    cookieOne: '{count} cookie',
    cookieCount: '{count} cookie',
  },
  nl: {
    optOutTitle: 'Uw privacykeuzes',
    optOutDescription:
      'Wij en onze partners gebruiken cookies om het gebruik van deze site te meten, advertenties te tonen en uw voorkeuren te onthouden. U kunt hiertegen altijd bezwaar maken.',
    optOutAccept: 'Akkoord',
    optOutReject: 'Bezwaar maken',
    noticeTitle: 'Cookies op deze site',
    noticeDescription:
      'Wij en onze partners gebruiken cookies om het gebruik van deze site te meten, advertenties te tonen en uw voorkeuren te onthouden. U kunt dit wijzigen in de privacy-instellingen.',
    signalTitle: 'Uw bezwaar geldt',
    mixedNote: 'Al ingeschakeld, tenzij u bezwaar maakt: {categories}.',
    blockedFrame: 'Voor deze inhoud is uw toestemming voor ‘{category}’ nodig.',
    allowCategory: '{category} toestaan',
    reloadText:
      'Sommige scripts die u niet meer toestaat, blijven actief tot de pagina opnieuw wordt geladen.',
    reload: 'Pagina opnieuw laden',
    cookieOne: '{count} cookie',
    cookieCount: '{count} cookies',
  },
  pl: {
    optOutTitle: 'Twoje wybory dotyczące prywatności',
    optOutDescription:
      'My i nasi partnerzy używamy plików cookie, aby mierzyć korzystanie z tej witryny, wyświetlać reklamy i zapamiętywać Twoje ustawienia. W każdej chwili możesz wyrazić sprzeciw.',
    optOutAccept: 'W porządku',
    optOutReject: 'Wyrażam sprzeciw',
    noticeTitle: 'Pliki cookie w tej witrynie',
    noticeDescription:
      'My i nasi partnerzy używamy plików cookie, aby mierzyć korzystanie z tej witryny, wyświetlać reklamy i zapamiętywać Twoje ustawienia. Możesz to zmienić w ustawieniach prywatności.',
    signalTitle: 'Twój sprzeciw obowiązuje',
    mixedNote: 'Już włączone, chyba że wyrazisz sprzeciw: {categories}.',
    blockedFrame: 'Ta treść wymaga Twojej zgody na „{category}”.',
    allowCategory: 'Zezwól: {category}',
    reloadText: 'Niektóre skrypty, na które już nie zezwalasz, działają do czasu ponownego wczytania strony.',
    reload: 'Wczytaj stronę ponownie',
    cookieOne: '{count} plik cookie',
    cookieCount: 'pliki cookie: {count}',
  },
  pt: {
    optOutTitle: 'As suas opções de privacidade',
    optOutDescription:
      'Nós e os nossos parceiros utilizamos cookies para medir a utilização deste site, mostrar anúncios e memorizar as suas preferências. Pode opor-se a qualquer momento.',
    optOutAccept: 'De acordo',
    optOutReject: 'Opor-me',
    noticeTitle: 'Cookies neste site',
    noticeDescription:
      'Nós e os nossos parceiros utilizamos cookies para medir a utilização deste site, mostrar anúncios e memorizar as suas preferências. Pode alterar isto nas definições de privacidade.',
    signalTitle: 'A sua oposição está ativa',
    mixedNote: 'Já ativas, a menos que se oponha: {categories}.',
    blockedFrame: 'Este conteúdo requer o seu consentimento para «{category}».',
    allowCategory: 'Permitir {category}',
    reloadText: 'Alguns scripts que já não permite continuam ativos até a página ser recarregada.',
    reload: 'Recarregar a página',
    cookieOne: '{count} cookie',
    cookieCount: '{count} cookies',
  },
  sv: {
    optOutTitle: 'Dina integritetsval',
    optOutDescription:
      'Vi och våra partner använder kakor för att mäta hur webbplatsen används, visa annonser och komma ihåg dina inställningar. Du kan invända mot detta när som helst.',
    optOutAccept: 'Okej',
    optOutReject: 'Jag invänder',
    noticeTitle: 'Kakor på den här webbplatsen',
    noticeDescription:
      'Vi och våra partner använder kakor för att mäta hur webbplatsen används, visa annonser och komma ihåg dina inställningar. Du kan ändra detta i integritetsinställningarna.',
    signalTitle: 'Din invändning gäller',
    mixedNote: 'Redan på, om du inte invänder: {categories}.',
    blockedFrame: 'Det här innehållet kräver ditt samtycke till ”{category}”.',
    allowCategory: 'Tillåt {category}',
    reloadText: 'Vissa skript som du inte längre tillåter körs tills sidan laddas om.',
    reload: 'Ladda om sidan',
    cookieOne: '{count} kaka',
    cookieCount: '{count} kakor',
  },
  da: {
    optOutTitle: 'Dine privatlivsvalg',
    optOutDescription:
      'Vi og vores partnere bruger cookies til at måle, hvordan webstedet bruges, vise annoncer og huske dine indstillinger. Du kan til enhver tid gøre indsigelse.',
    optOutAccept: 'I orden',
    optOutReject: 'Gør indsigelse',
    noticeTitle: 'Cookies på dette websted',
    noticeDescription:
      'Vi og vores partnere bruger cookies til at måle, hvordan webstedet bruges, vise annoncer og huske dine indstillinger. Du kan ændre dette i privatlivsindstillingerne.',
    signalTitle: 'Din indsigelse gælder',
    mixedNote: 'Allerede slået til, medmindre du gør indsigelse: {categories}.',
    blockedFrame: 'Dette indhold kræver dit samtykke til »{category}«.',
    allowCategory: 'Tillad {category}',
    reloadText: 'Nogle scripts, som du ikke længere tillader, kører, indtil siden genindlæses.',
    reload: 'Genindlæs siden',
    cookieOne: '{count} cookie',
    cookieCount: '{count} cookies',
  },
} satisfies Record<string, AddedLabels>;
