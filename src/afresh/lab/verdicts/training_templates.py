"""Replaced pages a model may be trained on; the held-out ones are in another module and share no wording."""

from afresh.lab.verdicts.templates import Replacement, Templates, Topic

_SOFT_404 = (
    Replacement(
        "soft_404",
        "Page not found - $site",
        "<h1>Page not found</h1><p>The page you are looking for could not be found. It may have been moved or "
        "deleted.</p>"
        "<form action='/search'><input name='q'><button>Search</button></form>",
        chrome=True,
    ),
    Replacement(
        "soft_404",
        "404 | $site",
        "<h2>404</h2><p>Sorry, this page does not exist.</p><p><a href='/'>Back to the home page</a></p>",
        chrome=True,
    ),
    Replacement(
        "soft_404",
        "$site",
        "<p>The document you requested is no longer available on this server. Please use the search or the menu "
        "above.</p>",
        chrome=True,
    ),
    Replacement(
        "soft_404", "Error 404", "<h1>Not Found</h1><p>The requested URL $path was not found on this server.</p>"
    ),
    Replacement(
        "soft_404",
        "Seite nicht gefunden",
        "<h1>Seite nicht gefunden</h1><p>Die angeforderte Seite existiert nicht oder wurde entfernt.</p>",
        language="de",
        chrome=True,
    ),
    Replacement(
        "soft_404",
        "Oops! | $site",
        "<h1>Oops!</h1><p>We can't seem to find the page you're looking for.</p><h3>Popular pages</h3><ul>"
        "<li><a href='/about'>About us</a></li><li><a href='/contact'>Contact</a></li><li><a href='/news'>News</a>"
        "</li></ul>",
        chrome=True,
    ),
)
_PARKED = (
    Replacement(
        "parked",
        "$host",
        "<h1>$host</h1><p>This domain is for sale. <a "
        "href='https://sedo.com/search/details.php?domain=$host'>Buy this domain</a></p>"
        "<h2>Related searches</h2><ul><li><a href='/?kw=insurance'>Car Insurance</a></li><li><a "
        "href='/?kw=credit'>Credit Cards</a></li>"
        "<li><a href='/?kw=hosting'>Web Hosting</a></li><li><a href='/?kw=jobs'>Jobs</a></li></ul><p>Sponsored "
        "listings</p>",
    ),
    Replacement(
        "parked",
        "$host - domain parked",
        "<p>The domain $host is parked free of charge. The owner of this domain has not uploaded a website yet."
        "</p>"
        "<p>Privacy Policy</p>",
    ),
    Replacement(
        "parked",
        "The domain name $host is for sale",
        "<h1>$host is for sale</h1><p>Make an offer for this domain. Secure payment, free transfer, money back."
        "</p>"
        "<form><input name=name placeholder='Your name'><input name=offer><button>Submit offer</button></form>",
    ),
)
_WALLS = (
    Replacement(
        "login_wall",
        "Log in - $site",
        "<h1>Log in</h1><p>Please log in to continue.</p><form method=post><label>User name</label><input "
        "name=u>"
        "<label>Password</label><input type=password name=p><button>Log in</button></form><p><a "
        "href='/forgot'>Forgot your password?</a></p>",
        chrome=True,
    ),
    Replacement(
        "login_wall",
        "Subscribe to continue | $site",
        "<h1>$site</h1><h2>Subscribe to continue reading</h2><p>This article is for subscribers only. Already a "
        "subscriber? "
        "<a href='/login'>Sign in</a>.</p><ul><li>1 month for 1 euro</li><li>1 year for 99 euro</li></ul>",
    ),
    Replacement(
        "captcha",
        "Just a moment...",
        "<h1>$host</h1><p>Checking your browser before accessing the site. This process is automatic.</p><p>Ray "
        "ID: 7f3a9c</p>",
    ),
    Replacement(
        "captcha",
        "Are you a robot?",
        "<p>Our systems have detected unusual traffic from your network. Please complete the captcha to continue.</p>",
    ),
    Replacement(
        "consent_wall",
        "Before you continue to $site",
        "<h1>Before you continue</h1><p>We use cookies and data to deliver and maintain our services, track "
        "outages and protect "
        "against spam. If you choose to accept all, we will also use cookies to develop new services.</p>"
        "<button>Reject all</button><button>Accept all</button>",
    ),
)
_HOSTING = (
    Replacement(
        "suspended",
        "Account Suspended",
        "<h1>This account has been suspended</h1><p>Contact your hosting provider for more information.</p>",
    ),
    Replacement(
        "suspended",
        "Website disabled",
        "<p>The website $host has been disabled by the administrator because of an unpaid bill.</p>",
    ),
    Replacement(
        "suspended",
        "Site not available",
        "<h2>Bandwidth limit exceeded</h2><p>This site has been temporarily suspended as it has used up its "
        "bandwidth. Please come back later.</p>",
    ),
    Replacement(
        "maintenance",
        "Maintenance",
        "<h1>We'll be back soon</h1><p>Sorry, we are performing scheduled maintenance at the moment.</p>",
    ),
    Replacement(
        "directory_listing",
        "Index of $path",
        "<h1>Index of $path</h1><pre><a href='?C=N;O=D'>Name</a> <a href='?C=M;O=A'>Last modified</a> <a "
        "href='?C=S;O=A'>Size</a>"
        "<hr><a href='/'>Parent Directory</a>\n<a href='a.txt'>a.txt</a> 2019-01-02 10:11 4.1K\n<a href='old/'>old/"
        "</a> 2018-05-06 07:08 -\n</pre>",
    ),
    Replacement(
        "error_dump",
        "Database Error",
        "<b>Fatal error</b>: Uncaught Exception: could not connect to host in <b>/var/www/html/db.php</b> on "
        "line <b>42</b>",
    ),
    Replacement(
        "placeholder",
        "Welcome to nginx!",
        "<h1>Welcome to nginx!</h1><p>If you see this page, the nginx web server is successfully installed and "
        "working.</p>",
    ),
)
_TOPICS = (
    Topic(
        "casino",
        ("LuckySpin", "Royal Ace", "GoldenBet"),
        ("slots", "roulette", "blackjack", "jackpots", "poker tables", "free spins"),
        (
            "Play $noun at $brand and claim your welcome bonus today.",
            "$brand is the best online casino for $noun with fast payouts.",
            "New players get 100 free spins on $noun, no deposit needed.",
            "Our $noun are licensed and tested every month.",
        ),
    ),
    Topic(
        "dentist",
        ("BrightSmile", "Family Dental Care", "Pearl Dentistry"),
        ("teeth whitening", "implants", "braces", "root canals", "check-ups", "crowns"),
        (
            "At $brand in $city we offer gentle $noun for the whole family.",
            "Book an appointment for $noun online or call our friendly team.",
            "Our dentists in $city have twenty years of experience with $noun.",
            "Most insurances cover $noun; ask us about payment plans.",
        ),
    ),
    Topic(
        "roofing",
        ("TopRoof", "Summit Roofing", "Anderson & Sons"),
        ("roof repair", "gutters", "shingles", "storm damage", "siding", "skylights"),
        (
            "$brand is the number one contractor for $noun in $city.",
            "Get a free quote for $noun within 24 hours.",
            "We have completed hundreds of $noun projects around $city.",
            "All work on $noun comes with a ten year warranty.",
        ),
    ),
    Topic(
        "shoes",
        ("UrbanStep", "Sneakerama", "FootHaus"),
        ("sneakers", "boots", "sandals", "running shoes", "loafers", "slippers"),
        (
            "Shop the new collection of $noun at $brand with free delivery.",
            "Up to 70 percent off $noun this week only.",
            "Our $noun are made from recycled materials.",
            "Return your $noun within 100 days, no questions asked.",
        ),
    ),
)
_LAYOUTS = (
    "<!doctype html><html lang='$language'><head><meta charset='utf-8'><title>$title</title></head><body>$body"
    "</body></html>",
    "<!DOCTYPE html><html lang='$language'><head><meta charset='utf-8'><meta name='viewport' "
    "content='width=device-width'>"
    "<title>$title</title><link rel='stylesheet' href='/style.css'></head><body><div class='wrap'><div "
    "class='box'>$body</div>"
    "<div class='foot'><p>&copy; All rights reserved.</p></div></div></body></html>",
    "<html><head><title>$title</title></head><body bgcolor='#ffffff'><center><table width='600'><tr><td>$body</td>"
    "</tr></table>"
    "</center></body></html>",
)

TRAINING = Templates(
    replacements=(*_SOFT_404, *_PARKED, *_WALLS, *_HOSTING),
    topics=_TOPICS,
    layouts=_LAYOUTS,
    cities=("Springfield", "Bristol", "Denver", "Leeds"),
)
