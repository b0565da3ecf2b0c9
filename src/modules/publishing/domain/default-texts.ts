import type { BannerText, Labels } from './banner-text.js';
import { ADDED_LABELS } from './default-labels.js';

/** All texts of a banner in one language. */
export interface DefaultText extends BannerText {
  labels: Labels;
}

/** Banner texts used where the owner has not written any, by language. */
export const DEFAULT_TEXTS: DefaultText[] = [
  {
    language: 'en',
    title: 'We value your privacy',
    description:
      'We and our partners use cookies for statistics, ads, and preferences. You can withdraw your consent at any time.',
    acceptAll: 'Accept all',
    rejectAll: 'Reject all',
    choose: 'Customize',
    save: 'Save settings',
    categories: [
      { key: 'analytics', title: 'Analytics', description: 'Helps us understand how the site is used.' },
      {
        key: 'marketing',
        title: 'Marketing',
        description: 'Lets us and our partners show you relevant ads.',
      },
      { key: 'preferences', title: 'Preferences', description: 'Remembers your settings.' },
    ],
    labels: {
      ...ADDED_LABELS.en,
      necessaryTitle: 'Necessary',
      necessaryDescription: 'Required for the site to work. Always on.',
      close: 'Close',
      policyLink: 'Privacy policy',
      settingsLink: 'Privacy settings',
      acknowledge: 'Got it',
      signalHonoured: 'Your browser sends a Global Privacy Control signal, so we have opted you out.',
      services: 'Services and cookies',
      controller: 'Controller',
      consentId: 'Consent ID',
      copy: 'Copy',
      download: 'Download receipt',
      withdraw: 'Withdraw consent',
      erase: 'Erase my records',
      eraseQuestion:
        'Erase all your consent records stored here? This can’t be undone, and you will be asked again.',
      failed: 'Something went wrong. Please try again later.',
    },
  },
  {
    language: 'de',
    title: 'Wir respektieren Ihre Privatsphäre',
    description:
      'Wir und unsere Partner verwenden Cookies und ähnliche Technologien, um die Nutzung dieser Website zu messen, relevante Werbung anzuzeigen und Ihre Einstellungen zu speichern. Sie können Ihre Auswahl jederzeit in den Datenschutzeinstellungen ändern oder Ihre Einwilligung widerrufen.',
    acceptAll: 'Alle akzeptieren',
    rejectAll: 'Alle ablehnen',
    choose: 'Anpassen',
    save: 'Auswahl speichern',
    categories: [
      {
        key: 'analytics',
        title: 'Statistik',
        description: 'Hilft uns zu verstehen, wie die Website genutzt wird.',
      },
      {
        key: 'marketing',
        title: 'Marketing',
        description: 'Damit wir und unsere Partner Ihnen relevante Werbung anzeigen können.',
      },
      { key: 'preferences', title: 'Präferenzen', description: 'Speichert Ihre Einstellungen.' },
    ],
    labels: {
      ...ADDED_LABELS.de,
      necessaryTitle: 'Notwendig',
      necessaryDescription: 'Für den Betrieb der Website erforderlich. Immer aktiv.',
      close: 'Schließen',
      policyLink: 'Datenschutzerklärung',
      settingsLink: 'Datenschutzeinstellungen',
      acknowledge: 'Verstanden',
      signalHonoured:
        'Ihr Browser sendet ein Global-Privacy-Control-Signal. Wir haben die Verarbeitung daher für Sie abgelehnt.',
      services: 'Dienste und Cookies',
      controller: 'Verantwortlicher',
      consentId: 'Consent-ID',
      copy: 'Kopieren',
      download: 'Beleg herunterladen',
      withdraw: 'Einwilligung widerrufen',
      erase: 'Meine Einträge löschen',
      eraseQuestion:
        'Alle hier gespeicherten Einträge zu Ihrer Einwilligung löschen? Das lässt sich nicht rückgängig machen, und Sie werden erneut gefragt.',
      failed: 'Etwas ist schiefgelaufen. Bitte versuchen Sie es später erneut.',
    },
  },
  {
    language: 'fr',
    title: 'Nous respectons votre vie privée',
    description:
      'Nous et nos partenaires utilisons des cookies et des technologies similaires pour mesurer l’utilisation de ce site, afficher des publicités pertinentes et mémoriser vos réglages. Vous pouvez modifier votre choix ou retirer votre consentement à tout moment dans les réglages de confidentialité.',
    acceptAll: 'Tout accepter',
    rejectAll: 'Tout refuser',
    choose: 'Personnaliser',
    save: 'Enregistrer mes choix',
    categories: [
      {
        key: 'analytics',
        title: 'Mesure d’audience',
        description: 'Nous aide à comprendre comment le site est utilisé.',
      },
      {
        key: 'marketing',
        title: 'Marketing',
        description: 'Nous permet, ainsi qu’à nos partenaires, de vous montrer des publicités pertinentes.',
      },
      {
        key: 'preferences',
        title: 'Préférences',
        description: 'Mémorise vos réglages.',
      },
    ],
    labels: {
      ...ADDED_LABELS.fr,
      necessaryTitle: 'Nécessaires',
      necessaryDescription: 'Indispensables au fonctionnement du site. Toujours actifs.',
      close: 'Fermer',
      policyLink: 'Politique de confidentialité',
      settingsLink: 'Réglages de confidentialité',
      acknowledge: 'J’ai compris',
      signalHonoured:
        'Votre navigateur envoie un signal Global Privacy Control. Nous avons donc enregistré votre opposition.',
      services: 'Services et cookies',
      controller: 'Responsable du traitement',
      consentId: 'Identifiant de consentement',
      copy: 'Copier',
      download: 'Télécharger le reçu',
      withdraw: 'Retirer mon consentement',
      erase: 'Effacer mes enregistrements',
      eraseQuestion:
        'Effacer toutes vos preuves de consentement enregistrées ici ? Cette action est irréversible et la question vous sera de nouveau posée.',
      failed: 'Une erreur s’est produite. Veuillez réessayer plus tard.',
    },
  },
  {
    language: 'es',
    title: 'Respetamos su privacidad',
    description:
      'Nosotros y nuestros socios utilizamos cookies y tecnologías similares para medir el uso de este sitio, mostrar anuncios relevantes y recordar sus preferencias. Puede cambiar su elección o retirar su consentimiento en cualquier momento en los ajustes de privacidad.',
    acceptAll: 'Aceptar todo',
    rejectAll: 'Rechazar todo',
    choose: 'Personalizar',
    save: 'Guardar selección',
    categories: [
      { key: 'analytics', title: 'Analítica', description: 'Nos ayuda a entender cómo se utiliza el sitio.' },
      {
        key: 'marketing',
        title: 'Marketing',
        description: 'Nos permite, a nosotros y a nuestros socios, mostrarle anuncios relevantes.',
      },
      { key: 'preferences', title: 'Preferencias', description: 'Recuerda sus preferencias.' },
    ],
    labels: {
      ...ADDED_LABELS.es,
      necessaryTitle: 'Necesarias',
      necessaryDescription: 'Imprescindibles para que el sitio funcione. Siempre activas.',
      close: 'Cerrar',
      policyLink: 'Política de privacidad',
      settingsLink: 'Ajustes de privacidad',
      acknowledge: 'Entendido',
      signalHonoured:
        'Su navegador envía una señal Global Privacy Control, por lo que hemos registrado su oposición.',
      services: 'Servicios y cookies',
      controller: 'Responsable del tratamiento',
      consentId: 'ID de consentimiento',
      copy: 'Copiar',
      download: 'Descargar el justificante',
      withdraw: 'Retirar el consentimiento',
      erase: 'Borrar mis registros',
      eraseQuestion:
        '¿Borrar todos sus registros de consentimiento guardados aquí? Esta acción no se puede deshacer y se le volverá a preguntar.',
      failed: 'Se ha producido un error. Vuelva a intentarlo más tarde.',
    },
  },
  {
    language: 'it',
    title: 'Rispettiamo la sua privacy',
    description:
      'Noi e i nostri partner utilizziamo cookie e tecnologie simili per misurare l’utilizzo di questo sito, mostrare annunci pertinenti e ricordare le sue impostazioni. Può modificare la sua scelta o revocare il consenso in qualsiasi momento nelle impostazioni sulla privacy.',
    acceptAll: 'Accetta tutto',
    rejectAll: 'Rifiuta tutto',
    choose: 'Personalizza',
    save: 'Salva le scelte',
    categories: [
      {
        key: 'analytics',
        title: 'Statistiche',
        description: 'Ci aiuta a capire come viene utilizzato il sito.',
      },
      {
        key: 'marketing',
        title: 'Marketing',
        description: 'Consente a noi e ai nostri partner di mostrarle annunci pertinenti.',
      },
      { key: 'preferences', title: 'Preferenze', description: 'Ricorda le sue impostazioni.' },
    ],
    labels: {
      ...ADDED_LABELS.it,
      necessaryTitle: 'Necessari',
      necessaryDescription: 'Indispensabili per il funzionamento del sito. Sempre attivi.',
      close: 'Chiudi',
      policyLink: 'Informativa sulla privacy',
      settingsLink: 'Impostazioni sulla privacy',
      acknowledge: 'Ho capito',
      signalHonoured:
        'Il suo browser invia un segnale Global Privacy Control, quindi abbiamo registrato la sua opposizione.',
      services: 'Servizi e cookie',
      controller: 'Titolare del trattamento',
      consentId: 'ID del consenso',
      copy: 'Copia',
      download: 'Scarica la ricevuta',
      withdraw: 'Revoca il consenso',
      erase: 'Cancella le mie registrazioni',
      eraseQuestion:
        'Cancellare tutte le sue registrazioni di consenso conservate qui? L’operazione non può essere annullata e la richiesta verrà mostrata di nuovo.',
      failed: 'Si è verificato un errore. Riprovi più tardi.',
    },
  },
  {
    language: 'nl',
    title: 'Wij respecteren uw privacy',
    description:
      'Wij en onze partners gebruiken cookies en vergelijkbare technieken om het gebruik van deze site te meten, relevante advertenties te tonen en uw instellingen te onthouden. U kunt uw keuze op elk moment wijzigen of uw toestemming intrekken via de privacy-instellingen.',
    acceptAll: 'Alles accepteren',
    rejectAll: 'Alles weigeren',
    choose: 'Aanpassen',
    save: 'Keuzes opslaan',
    categories: [
      {
        key: 'analytics',
        title: 'Statistieken',
        description: 'Helpt ons te begrijpen hoe de site wordt gebruikt.',
      },
      {
        key: 'marketing',
        title: 'Marketing',
        description: 'Hiermee kunnen wij en onze partners u relevante advertenties tonen.',
      },
      { key: 'preferences', title: 'Voorkeuren', description: 'Onthoudt uw instellingen.' },
    ],
    labels: {
      ...ADDED_LABELS.nl,
      necessaryTitle: 'Noodzakelijk',
      necessaryDescription: 'Nodig om de site te laten werken. Altijd actief.',
      close: 'Sluiten',
      policyLink: 'Privacyverklaring',
      settingsLink: 'Privacy-instellingen',
      acknowledge: 'Begrepen',
      signalHonoured: 'Uw browser stuurt een Global Privacy Control-signaal. Daarom hebben wij u afgemeld.',
      services: 'Diensten en cookies',
      controller: 'Verwerkingsverantwoordelijke',
      consentId: 'Toestemmings-ID',
      copy: 'Kopiëren',
      download: 'Bewijs downloaden',
      withdraw: 'Toestemming intrekken',
      erase: 'Mijn gegevens wissen',
      eraseQuestion:
        'Alle hier opgeslagen gegevens over uw toestemming wissen? Dit kan niet ongedaan worden gemaakt en u wordt opnieuw om uw keuze gevraagd.',
      failed: 'Er is iets misgegaan. Probeer het later opnieuw.',
    },
  },
  {
    language: 'pl',
    title: 'Szanujemy Twoją prywatność',
    description:
      'My i nasi partnerzy używamy plików cookie i podobnych technologii, aby mierzyć korzystanie z tej strony, wyświetlać trafne reklamy i zapamiętywać Twoje ustawienia. W każdej chwili możesz zmienić wybór lub wycofać zgodę w ustawieniach prywatności.',
    acceptAll: 'Zaakceptuj wszystkie',
    rejectAll: 'Odrzuć wszystkie',
    choose: 'Dostosuj',
    save: 'Zapisz ustawienia',
    categories: [
      {
        key: 'analytics',
        title: 'Analityczne',
        description: 'Pomagają nam zrozumieć, jak używana jest strona.',
      },
      {
        key: 'marketing',
        title: 'Marketingowe',
        description: 'Pozwalają nam i naszym partnerom wyświetlać trafne reklamy.',
      },
      {
        key: 'preferences',
        title: 'Preferencje',
        description: 'Zapamiętują Twoje ustawienia.',
      },
    ],
    labels: {
      ...ADDED_LABELS.pl,
      necessaryTitle: 'Niezbędne',
      necessaryDescription: 'Niezbędne do działania strony. Zawsze włączone.',
      close: 'Zamknij',
      policyLink: 'Polityka prywatności',
      settingsLink: 'Ustawienia prywatności',
      acknowledge: 'Rozumiem',
      signalHonoured:
        'Twoja przeglądarka wysyła sygnał Global Privacy Control, dlatego zarejestrowaliśmy Twój sprzeciw.',
      services: 'Usługi i pliki cookie',
      controller: 'Administrator danych',
      consentId: 'Identyfikator zgody',
      copy: 'Kopiuj',
      download: 'Pobierz potwierdzenie',
      withdraw: 'Wycofaj zgodę',
      erase: 'Usuń moje zapisy',
      eraseQuestion:
        'Usunąć wszystkie zapisane tu informacje o Twojej zgodzie? Tej operacji nie można cofnąć, a pytanie pojawi się ponownie.',
      failed: 'Coś poszło nie tak. Spróbuj ponownie później.',
    },
  },
  {
    language: 'pt',
    title: 'Respeitamos a sua privacidade',
    description:
      'Nós e os nossos parceiros utilizamos cookies e tecnologias semelhantes para medir a utilização deste site, mostrar anúncios relevantes e memorizar as suas definições. Pode alterar a sua escolha ou retirar o consentimento a qualquer momento nas definições de privacidade.',
    acceptAll: 'Aceitar tudo',
    rejectAll: 'Recusar tudo',
    choose: 'Personalizar',
    save: 'Guardar seleção',
    categories: [
      {
        key: 'analytics',
        title: 'Estatística',
        description: 'Ajuda-nos a compreender como o site é utilizado.',
      },
      {
        key: 'marketing',
        title: 'Marketing',
        description: 'Permite-nos, a nós e aos nossos parceiros, mostrar-lhe anúncios relevantes.',
      },
      { key: 'preferences', title: 'Preferências', description: 'Memoriza as suas definições.' },
    ],
    labels: {
      ...ADDED_LABELS.pt,
      necessaryTitle: 'Necessários',
      necessaryDescription: 'Indispensáveis ao funcionamento do site. Sempre ativos.',
      close: 'Fechar',
      policyLink: 'Política de privacidade',
      settingsLink: 'Definições de privacidade',
      acknowledge: 'Compreendi',
      signalHonoured:
        'O seu navegador envia um sinal Global Privacy Control, pelo que registámos a sua oposição.',
      services: 'Serviços e cookies',
      controller: 'Responsável pelo tratamento',
      consentId: 'ID do consentimento',
      copy: 'Copiar',
      download: 'Transferir o comprovativo',
      withdraw: 'Retirar o consentimento',
      erase: 'Apagar os meus registos',
      eraseQuestion:
        'Apagar todos os seus registos de consentimento guardados aqui? Esta ação não pode ser anulada e a pergunta será feita de novo.',
      failed: 'Ocorreu um erro. Tente novamente mais tarde.',
    },
  },
  {
    language: 'sv',
    title: 'Vi värnar om din integritet',
    description:
      'Vi och våra partner använder kakor och liknande tekniker för att mäta hur webbplatsen används, visa relevanta annonser och komma ihåg dina inställningar. Du kan när som helst ändra ditt val eller återkalla ditt samtycke i integritetsinställningarna.',
    acceptAll: 'Godkänn alla',
    rejectAll: 'Avvisa alla',
    choose: 'Anpassa',
    save: 'Spara inställningar',
    categories: [
      {
        key: 'analytics',
        title: 'Statistik',
        description: 'Hjälper oss att förstå hur webbplatsen används.',
      },
      {
        key: 'marketing',
        title: 'Marknadsföring',
        description: 'Låter oss och våra partner visa relevanta annonser.',
      },
      { key: 'preferences', title: 'Inställningar', description: 'Kommer ihåg dina inställningar.' },
    ],
    labels: {
      ...ADDED_LABELS.sv,
      necessaryTitle: 'Nödvändiga',
      necessaryDescription: 'Krävs för att webbplatsen ska fungera. Alltid aktiva.',
      close: 'Stäng',
      policyLink: 'Integritetspolicy',
      settingsLink: 'Integritetsinställningar',
      acknowledge: 'Jag förstår',
      signalHonoured:
        'Din webbläsare skickar en Global Privacy Control-signal, så vi har registrerat din invändning.',
      services: 'Tjänster och kakor',
      controller: 'Personuppgiftsansvarig',
      consentId: 'Samtyckes-ID',
      copy: 'Kopiera',
      download: 'Ladda ner kvitto',
      withdraw: 'Återkalla samtycke',
      erase: 'Radera mina uppgifter',
      eraseQuestion:
        'Radera alla uppgifter om ditt samtycke som har sparats här? Det går inte att ångra, och du får frågan igen.',
      failed: 'Något gick fel. Försök igen senare.',
    },
  },
  {
    language: 'da',
    title: 'Vi respekterer dit privatliv',
    description:
      'Vi og vores partnere bruger cookies og lignende teknologier til at måle brugen af dette websted, vise relevante annoncer og huske dine indstillinger. Du kan til enhver tid ændre dit valg eller trække dit samtykke tilbage i privatlivsindstillingerne.',
    acceptAll: 'Accepter alle',
    rejectAll: 'Afvis alle',
    choose: 'Tilpas',
    save: 'Gem indstillinger',
    categories: [
      {
        key: 'analytics',
        title: 'Statistik',
        description: 'Hjælper os med at forstå, hvordan webstedet bruges.',
      },
      {
        key: 'marketing',
        title: 'Markedsføring',
        description: 'Lader os og vores partnere vise dig relevante annoncer.',
      },
      {
        key: 'preferences',
        title: 'Præferencer',
        description: 'Husker dine indstillinger.',
      },
    ],
    labels: {
      ...ADDED_LABELS.da,
      necessaryTitle: 'Nødvendige',
      necessaryDescription: 'Nødvendige for, at webstedet fungerer. Altid aktive.',
      close: 'Luk',
      policyLink: 'Privatlivspolitik',
      settingsLink: 'Privatlivsindstillinger',
      acknowledge: 'Forstået',
      signalHonoured:
        'Din browser sender et Global Privacy Control-signal, så vi har registreret din indsigelse.',
      services: 'Tjenester og cookies',
      controller: 'Dataansvarlig',
      consentId: 'Samtykke-ID',
      copy: 'Kopiér',
      download: 'Hent kvittering',
      withdraw: 'Træk samtykke tilbage',
      erase: 'Slet mine oplysninger',
      eraseQuestion:
        'Slet alle oplysninger om dit samtykke, der er gemt her? Det kan ikke fortrydes, og du bliver spurgt igen.',
      failed: 'Noget gik galt. Prøv igen senere.',
    },
  },
];

/** Default texts of a language; a tag such as `pt-BR` falls back to `pt`, unknown languages to English. */
export function defaultText(language: string): DefaultText {
  return knownText(language) ?? (knownText('en') as DefaultText);
}

/** Like `defaultText`, but undefined for unknown languages. */
export function knownText(language: string): DefaultText | undefined {
  const first = language.toLowerCase().split('-')[0];
  return DEFAULT_TEXTS.find((text) => text.language === first);
}
