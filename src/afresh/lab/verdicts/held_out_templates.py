"""Replaced pages for evaluation only: other wording, layouts, topics and languages than the training's."""

from afresh.lab.verdicts.templates import Replacement, Templates, Topic

_SOFT_404 = (
    Replacement(
        "soft_404",
        "Nothing here | $site",
        "<h1>Hmm, there is nothing at this address</h1><p>Either the link that brought you here is out of date "
        "or there is a typing "
        "mistake in it. Try the navigation, or start again from our <a href='/'>front page</a>.</p>",
        chrome=True,
    ),
    Replacement(
        "soft_404",
        "$site: we lost that one",
        "<div class='error-page'><span>4 0 4</span><h2>We lost that one</h2><p>The content has been retired and "
        "is not part of the site any more."
        " Maybe one of these helps:</p><ul><li><a href='/archive'>Archive</a></li><li><a href='/sitemap'>Site map"
        "</a></li></ul></div>",
        chrome=True,
    ),
    Replacement(
        "soft_404",
        "HTTP 404",
        "<h1>File or directory not found.</h1><h3>The resource you are looking for might have been removed, had "
        "its name changed, or "
        "is temporarily unavailable.</h3>",
    ),
    Replacement(
        "soft_404",
        "Page introuvable - $site",
        "<h1>Désolé</h1><p>La page demandée est introuvable. Vérifiez l'adresse ou revenez à l'<a "
        "href='/'>accueil</a>.</p>",
        language="fr",
        chrome=True,
    ),
    Replacement(
        "soft_404",
        "$title",
        "<div class='notice'>This entry was withdrawn by its author.</div><p>You may want to look at other "
        "entries in this section.</p>",
        chrome=True,
    ),
    Replacement(
        "soft_404",
        "Página no encontrada",
        "<h1>Error 404</h1><p>Lo sentimos, la página que busca no existe.</p><a href='/'>Volver al inicio</a>",
        language="es",
    ),
)
_PARKED = (
    Replacement(
        "parked",
        "$host",
        "<div id='main'><div class='r'><a href='https://www.bodis.com/lander?term=flights'>Cheap Flights</a>"
        "</div>"
        "<div class='r'><a href='https://www.bodis.com/lander?term=loans'>Personal Loans</a></div>"
        "<div class='r'><a href='https://www.bodis.com/lander?term=dating'>Online Dating</a></div>"
        "<div class='r'><a href='https://www.bodis.com/lander?term=solar'>Solar Panels</a></div></div>"
        "<div class='f'>The owner has put $host up for auction. Interested? Get a price.</div>",
    ),
    Replacement(
        "parked",
        "$host | Premium names",
        "<h2>Great names go fast</h2><h1>$host</h1><p>can be yours today from only USD 2,495 or 12 monthly "
        "instalments.</p>"
        "<p>Trusted by over 50,000 customers since 2005.</p><button>Add to basket</button>",
    ),
    Replacement(
        "parked",
        "$host steht zum Verkauf",
        "<h1>Diese Domain kaufen</h1><p>Die Domain $host steht zum Verkauf. Preis auf Anfrage.</p>",
        language="de",
    ),
    Replacement(
        "parked",
        "Registered at NameHarbor",
        "<p>A customer of NameHarbor has reserved this web address. Is it yours? Upload your files to replace "
        "this page.</p>",
    ),
)
_WALLS = (
    Replacement(
        "login_wall",
        "$site",
        "<section class='gate'><h2>Members area</h2><p>You need an account to see this. It is free and takes a "
        "minute.</p>"
        "<form><input type=email name=e placeholder='E-mail'><input type=password name=p placeholder='Password'>"
        "<button>Enter</button></form></section>",
        chrome=True,
    ),
    Replacement(
        "login_wall",
        "Sign in to your account",
        "<div class='ms'><h1>Sign in</h1><input type=email placeholder='Email, phone or user name'><p>No "
        "account? Create one!</p>"
        "<p>Can't access your account?</p><button>Next</button></div>",
    ),
    Replacement(
        "captcha",
        "One more step",
        "<h1>One more step</h1><p>Tick the box to show that you are a person and then go on to $host.</p>"
        "<p>Reference 18.5dfc1702.17</p>",
    ),
    Replacement(
        "captcha",
        "Access to this page has been denied",
        "<p>We believe that you use automation tools to browse the website. Make sure that JavaScript is "
        "switched on and that an "
        "ad blocker does not stop it.</p>",
    ),
    Replacement(
        "consent_wall",
        "Ihre Privatsphäre ist uns wichtig",
        "<h2>Mit Werbung weiterlesen</h2><p>Wir und unsere 214 Partner speichern Informationen auf einem Gerät "
        "und verarbeiten "
        "personenbezogene Daten.</p><button>Zustimmen und weiter</button><button>Abo abschließen</button>",
        language="de",
    ),
    Replacement(
        "consent_wall",
        "$site - your choices",
        "<h1>Your data, your choice</h1><p>To show you this site, we and selected companies would like to keep "
        "small files on your "
        "device. You can change your mind at any time at the bottom of every page.</p><button>Fine by me</button>"
        "<button>Options</button>",
    ),
)
_HOSTING = (
    Replacement(
        "suspended",
        "$host",
        "<h1>Hosting package locked</h1><p>The services of this customer were switched off. Are you the owner? "
        "Log on to the customer "
        "centre or ring our support line.</p>",
    ),
    Replacement(
        "suspended",
        "509",
        "<h2>This website has been taken offline for violating our terms of service.</h2><p>If you are the "
        "webmaster, open a ticket.</p>",
    ),
    Replacement(
        "suspended",
        "Cuenta suspendida",
        "<h1>Cuenta suspendida</h1><p>Esta cuenta ha sido suspendida. Póngase en contacto con su proveedor.</p>",
        language="es",
    ),
)
_TOPICS = (
    Topic(
        "travel",
        ("Wanderlane", "BlueHorizon Tours", "SunTrail"),
        ("city breaks", "cruises", "safaris", "ski weeks", "beach holidays", "rail passes"),
        (
            "From $city to the rest of the world: $brand has $noun for every purse.",
            "This season our guests liked $noun most of all.",
            "Ask $brand for a tailor-made offer that includes $noun and transfers.",
            "Sign up and hear about last minute $noun first.",
        ),
    ),
    Topic(
        "vape",
        ("CloudNine Vapes", "VapourKing", "MistCo"),
        ("starter kits", "pods", "e-liquids", "coils", "disposables", "batteries"),
        (
            "$brand sends $noun next day when you order before noon.",
            "Fancy a new flavour? Have a look at our $noun.",
            "Visit the shop in $city and try $noun with our staff.",
            "Adults only: we check the age of everyone who orders $noun.",
        ),
    ),
    Topic(
        "betting",
        ("BetHarbour", "OddsTiger", "GoalBank"),
        ("football odds", "live wagers", "tennis markets", "horse racing tips", "accumulators", "cash out"),
        (
            "Compare $noun of all bookmakers on one page with $brand.",
            "Deposit ten, wager thirty: the $brand offer for $noun.",
            "Experts write about $noun every match day.",
            "Withdraw what $noun brought you within an hour.",
        ),
    ),
    Topic(
        "marketing blog",
        ("GrowthNotes", "The Funnel Journal", "ClickCraft"),
        ("newsletters", "landing pages", "backlinks", "keywords", "influencers", "conversion rates"),
        (
            "Seven mistakes people make with $noun, and what $brand does instead.",
            "Why $noun matter for small firms in $city.",
            "The ultimate guide to $noun, updated for this year.",
            "Readers of $brand doubled their revenue with $noun.",
        ),
    ),
)
_LAYOUTS = (
    '<!DOCTYPE html>\n<html lang="$language">\n<head>\n<title>$title</title>\n<style>body{font-family:sans-serif}'
    "</style>\n</head>\n<body>\n"
    "<main>\n<section>$body</section>\n</main>\n</body>\n</html>",
    "<!doctype html><html lang='$language'><head><title>$title</title><script>window.dataLayer=[];</script></head>"
    "<body class='landing'>"
    "<header><span class='logo'>*</span></header><article>$body</article><footer><small>Imprint · Terms</small>"
    "</footer></body></html>",
    "<HTML><HEAD><TITLE>$title</TITLE></HEAD><BODY><TABLE border=0 cellpadding=20 align=center><TR><TD><FONT "
    "face=Arial>$body</FONT></TD></TR>"
    "</TABLE></BODY></HTML>",
)

HELD_OUT = Templates(
    replacements=(*_SOFT_404, *_PARKED, *_WALLS, *_HOSTING),
    topics=_TOPICS,
    layouts=_LAYOUTS,
    cities=("Lisbon", "Toronto", "Aarhus", "Perth"),
)
